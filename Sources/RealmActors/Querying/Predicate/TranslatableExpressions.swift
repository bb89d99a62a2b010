import Foundation
import Storage

// Variables, properties, constants.

extension PredicateExpressions.Variable: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        guard let term = translation.term(of: key) else { throw translation.refusal(self) }
        return term
    }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        let root = try translation.term(self.root)
        if case .path(let path) = root, let type = Root.Output.self as? any ModelObject.Type,
            let names = try type.names(of: keyPath)
        {
            return .path(path.appending(names))
        }
        guard let counted = Root.Output.self as? any CountedCollection.Type else {
            return try foundationCount(root, translation)
        }
        if case .path(let path) = root {
            let keyPath = keyPath as AnyKeyPath
            if keyPath == counted._countKeyPath { return .count(path) }
            if keyPath == counted._isEmptyKeyPath { return .condition(.count(path, .equal, 0)) }
        }
        throw translation.refusal(self)
    }

    /// `count` and `isEmpty` of the result of `filter`.
    private func foundationCount(
        _ root: PredicateTerm, _ translation: PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        guard case .filtered(let path, let condition) = root else {
            throw translation.refusal(self)
        }
        if kind == .collectionCount { return .filteredCount(path, condition) }
        if kind == .collectionIsEmpty { return .condition(.subquery(path, condition, .equal, 0)) }
        throw translation.refusal(self)
    }
}

extension ModelObject {
    /// The names of the properties on a key path of this class; nil if there are none.
    fileprivate static func names(of keyPath: AnyKeyPath) throws(RealmError) -> [String]? {
        guard let keyPath = keyPath as? PartialKeyPath<Self> else { return nil }
        let steps = Tracer.path(of: keyPath)
        if steps.isEmpty { return nil }
        guard Tracer.isStored(keyPath) else {
            throw .invalidQuery(message: Tracer.refusal(of: keyPath, steps), position: nil)
        }
        return steps.map(\.name)
    }
}

extension PredicateExpressions.Value: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm {
        switch value {
        case let range as any BoundedRange:
            if let range = range.term { return range }
        default:
            if let constant = try? QueryConstant(value) { return .constant(constant) }
        }
        throw translation.refusal(self)
    }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func translated(
        _ translation: inout PredicateTranslation
    ) throws(RealmError) -> PredicateTerm { .constant(.null) }
}

/// A range with two bounds that queries support.
private protocol BoundedRange {
    var term: PredicateTerm? { get }
}

extension Range: BoundedRange {
    fileprivate var term: PredicateTerm? {
        guard let low = lowerBound as? any PersistableScalar,
            let high = upperBound as? any PersistableScalar
        else { return nil }
        return .range(low: low._scalar.value, high: high._scalar.value, includesUpper: false)
    }
}

extension ClosedRange: BoundedRange {
    fileprivate var term: PredicateTerm? {
        guard let low = lowerBound as? any PersistableScalar,
            let high = upperBound as? any PersistableScalar
        else { return nil }
        return .range(low: low._scalar.value, high: high._scalar.value, includesUpper: true)
    }
}

/// A collection of a model whose elements a predicate may count.
protocol CountedCollection {
    static var _countKeyPath: AnyKeyPath { get }
    static var _isEmptyKeyPath: AnyKeyPath { get }
}

extension List: CountedCollection {
    static var _countKeyPath: AnyKeyPath { \List<Element>.count }
    static var _isEmptyKeyPath: AnyKeyPath { \List<Element>.isEmpty }
}

extension MutableSet: CountedCollection {
    static var _countKeyPath: AnyKeyPath { \MutableSet<Element>.count }
    static var _isEmptyKeyPath: AnyKeyPath { \MutableSet<Element>.isEmpty }
}

extension Map: CountedCollection where Key == String {
    static var _countKeyPath: AnyKeyPath { \Map<String, Value>.count }
    static var _isEmptyKeyPath: AnyKeyPath { \Map<String, Value>.isEmpty }
}

extension LinkingObjects: CountedCollection {
    static var _countKeyPath: AnyKeyPath { \LinkingObjects<Element>.count }
    static var _isEmptyKeyPath: AnyKeyPath { \LinkingObjects<Element>.isEmpty }
}
