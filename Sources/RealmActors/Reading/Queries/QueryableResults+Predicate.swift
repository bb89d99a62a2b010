public import Foundation

extension QueryableResults {
    /// The objects for which a predicate of Foundation holds, in the same order.
    ///
    ///     try dogs.filter(#Predicate<Dog> { $0.age > 3 && $0.owner?.name == "Ann" })
    ///
    /// The predicate is translated into a query, which uses indexes as others do; it is not
    /// evaluated in Swift. Strings compare by their bytes.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for an expression that no query can
    ///   express; the message names it.
    public func filter(_ predicate: Predicate<Model>) throws(RealmError) -> Self {
        Self(_plan: try _plan.filtered(predicate))
    }
}

extension ObjectCollection {
    /// The objects for which a predicate of Foundation holds, in the order of the collection.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for an expression that no query can
    ///   express.
    public func filter(_ predicate: Predicate<Model>) throws(RealmError) -> Results<Model> {
        try liveResults().filter(predicate)
    }
}

extension FrozenObjectCollection {
    /// The objects for which a predicate of Foundation holds, in the order of the collection.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for an expression that no query can
    ///   express.
    public func filter(
        _ predicate: Predicate<Model>
    ) throws(RealmError) -> FrozenResults<Model> { try _results.filter(predicate) }
}

extension ResultsPlan {
    /// The plan with a predicate of Foundation.
    func filtered<Model: ObjectBase>(
        _ predicate: Predicate<Model>
    ) throws(RealmError) -> ResultsPlan {
        do {
            return try tryFiltered(try PredicateTranslation.condition(predicate))
        } catch .invalidKeyPath(let message) {
            throw .invalidQuery(message: message, position: nil)
        } catch {
            throw error
        }
    }
}
