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

    /// The row of a number; nil when it has none, or others have deleted it meanwhile.
    func row(_ number: Int64, _ plan: ImportPlan) -> RowKey? {
        guard let key = numbered?[plan.model.className, number],
            tree.locate(plan.model.classID, key) != nil
        else { return nil }
        return key
    }

    /// The row of a number that has to have one.
    func existing(_ number: Int64, _ plan: ImportPlan) throws(RealmError) -> RowKey {
        if let known = row(number, plan) { return known }
        throw .invalidValue(
            "There is no '\(plan.model.className)' with the number \(number) to link to. Import it "
                + "first, or import with links: .create.")
    }

    /// Imports an object that is an element of its own in the JSON. No other such element may have
    /// the same number: it would be overwritten. As a link, an object may be given in full any
    /// number of times.
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

    /// Imports an object of a class without a primary key: a new row, unless its number has one,
    /// which a link may have made.
    func unnamed(
        _ source: KeyedDecodingContainer<NameKey>, _ plan: ImportPlan
    ) throws -> RowKey {
        guard let given = try number(source, plan) else { return try insert(source, plan, nil) }
        guard let known = row(given, plan) else { return try insert(source, plan, nil, given) }
        try complete(known, plan, source)
        return known
    }

    /// Updates a row, which a link may have made for what is given now.
    func complete(
        _ row: RowKey, _ plan: ImportPlan, _ source: KeyedDecodingContainer<NameKey>
    ) throws {
        try change(row, plan, source)
        // Not before: a program may catch the error of a half-filled row, and continue.
        guard let given = try number(source, plan) else { return }
        numbered?.note(row, plan.model.className, given)
    }

    /// The object that a link gives the number of; one is made for what is to come. Nil when that
    /// is not a number, or the class has none.
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
    /// The integer that the number is, however it is written: as decoders take it.
    fileprivate var whole: Int64? {
        switch self {
        case .boolean: nil
        case .integer(let number): number
        case .real(let number): Int64(exactly: number)
        }
    }
}
