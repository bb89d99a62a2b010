import RealmActors

/// What was shown of objects that are to be changed, and confirmed.
struct Shown: Sendable, Equatable {
    private let count: Int
    private let objects: [[UInt8]]

    /// - Parameters:
    ///   - objects: those that were shown.
    ///   - count: how many there are in all.
    ///   - properties: what was shown of each.
    init(
        _ objects: some Sequence<Frozen<DynamicObject>>, of count: Int, _ properties: [Property],
        in schema: Schema
    ) throws {
        // Which object a link leads to, whatever that holds.
        let links = LinkForm(schema, exporting: Set(schema.objectSchema.map(\.className)))
        var json = ValueJSON(links)
        self.count = count
        self.objects = try objects.map { try json.record($0, properties, isNumbered: true) }
    }

    /// Refuses a change where there is something else by now.
    func require(_ now: Shown) throws {
        guard now == self else {
            throw ToolError(
                .superseded,
                "The objects have changed since they were shown, and nothing was written. Run the "
                    + "command again, or give --yes to skip this check.")
        }
    }
}
