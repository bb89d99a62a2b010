import Storage

/// Objects without a primary key, which JSON may name by numbers: see ``ImportedRows``.
extension JSONImport {
    private static let field = NameKey(ImportedRows.field)

    /// Whether the JSON may number the objects of a class.
    func hasNumbers(_ plan: ImportPlan) -> Bool {
        numbered != nil && plan.primaryKey == nil && !plan.model.isEmbedded
            && !plan.names.contains(ImportedRows.field)
    }

    /// The number that an object gives; nil when it gives none.
    func number(
        _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan
    ) throws -> Int64? {
        guard hasNumbers(plan), source.contains(Self.field) else { return nil }
        do {
            return try source.decode(Int64.self, forKey: Self.field)
        } catch {
            throw RealmError.invalidValue(
                "\(ImportMessage.name(of: plan, source)) has a '\(ImportedRows.field)' that is not "
                    + "an integer. (\(ImportMessage.text(error)))")
        }
    }

    /// The row of a number; nil when it has none, or the row was deleted meanwhile.
    func row(_ number: Int64, _ plan: ImportPlan) -> RowKey? {
        guard let key = numbered?[plan.model.className, number],
            tree.locate(plan.model.classID, key) != nil
        else { return nil }
        return key
    }

    /// The row of a number; throws when there is none.
    func existing(_ number: Int64, _ plan: ImportPlan) throws(RealmError) -> RowKey {
        if let known = row(number, plan) { return known }
        throw .invalidValue(
            "There is no '\(plan.model.className)' with the number \(number) to link to. Import it "
                + "first, or import with links: .create.")
    }

    /// Imports an element of the JSON's array. No other element may have the same number: it would
    /// be overwritten. In place of a link, an object may be given in full any number of times.
    func listed(
        _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan
    ) throws -> RowKey {
        guard let given = try number(source, plan) else { return try object(source, plan) }
        let className = plan.model.className
        if numbered?.isListed(className, given) == true, row(given, plan) != nil {
            throw RealmError.invalidValue(
                "\(ImportMessage.name(of: plan, source)) has the '\(ImportedRows.field)' \(given), "
                    + "which another object has already. Give each object its own number.")
        }
        let key = try object(source, plan)
        numbered?.list(className, given)
        return key
    }

    /// Imports an object of a class without a primary key: a new row, unless its number has a row
    /// already, perhaps created for a link.
    func unnamed(
        _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan
    ) throws -> RowKey {
        guard let given = try number(source, plan) else { return try insert(source, plan, nil) }
        guard let known = row(given, plan) else { return try insert(source, plan, nil, given) }
        try complete(known, plan, source)
        return known
    }

    /// Updates a row, which may have been created for a link to this object.
    func complete(
        _ row: RowKey, _ plan: ImportPlan, _ source: KeyedDecodingContainer<NameKey>
    ) throws {
        try change(row, plan, source)
        // Only after success: a program may catch the error of a half-filled row, and continue.
        guard let given = try number(source, plan) else { return }
        numbered?.note(row, plan.model.className, given)
    }

    /// The object with the number that a link gives, created if it is not given yet. Nil if `given`
    /// is not a number, or the class has no numbers.
    func object(withNumber given: () throws -> AnyJSON, _ plan: ImportPlan) throws -> RowKey? {
        guard hasNumbers(plan), let json = try? given().value,
            let number = GivenNumber(json)?.whole
        else { return nil }
        if links == .existing { return try existing(number, plan) }
        if let known = row(number, plan) { return known }
        let new = try made(plan.model, [:])
        numbered?.expect(new, plan.model.className, number)
        return new
    }
}

extension GivenNumber {
    /// The number as an integer in any notation that decoders accept.
    fileprivate var whole: Int64? {
        switch self {
        case .boolean: nil
        case .integer(let number): number
        case .real(let number): Int64(exactly: number)
        }
    }
}
