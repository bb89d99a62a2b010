import Foundation
import StorageHarness
import Testing

@testable import Storage

/// Files written by Realm have the contents that Realm reads in them.
@Suite struct RealmFileContentsTests {
    /// Encrypted files only if this build has the ciphers.
    static let names = RealmFileFolder.current.names.filter {
        !RealmFileFolder.isEncrypted($0) || RealmFileCipher.isAvailable
    }

    @Test func thereAreFiles() {
        #expect(Self.names.count >= 6)
    }

    @Test(arguments: names)
    func contentsAreThoseThatRealmReads(_ name: String) throws {
        let folder = RealmFileFolder.current
        let key = RealmFileFolder.isEncrypted(name) ? RealmFileFolder.key : nil
        let file = try RealmFile(
            path: folder.url.appendingPathComponent(name + ".realm").path, key: key)
        let expected = try folder.decode(
            RealmFileFolder.contents(of: name) + ".json", as: ExpectedFile.self)
        #expect(file.info.format == expected.fileFormat)
        #expect(file.info.schemaVersion.map { "\($0)" } == expected.schemaVersion)
        #expect(file.info.isEncrypted == (key != nil))
        #expect(file.info.isStreaming == name.hasPrefix("streaming"))
        #expect(try file.commitsSinceOpening() == 0)
        try #require(file.tables.count == expected.tables.count)
        for (object, table) in zip(file.tables, expected.tables) {
            compare(object, table, file)
            try compareObjects(object, table, file)
        }
        #expect(file.classes.map(\.name) == expected.tables.compactMap(\.class))
        #expect(file.report.isIntact)
    }

    private func compare(
        _ object: RealmFileClass, _ table: ExpectedFile.Table, _ file: RealmFile
    ) {
        #expect(object.name == table.class ?? table.table)
        #expect(object.isClass == (table.class != nil))
        #expect("\(object.kind)" == table.kind, "\(object.name)")
        #expect(object.count == table.count, "\(object.name)")
        #expect(object.primaryKey?.name == table.primaryKey)
        #expect(object.properties.count == table.properties.count)
        for (property, expected) in zip(object.properties, table.properties) {
            let name: Comment = "\(object.name).\(property.name)"
            #expect(property.name == expected.name)
            #expect("\(property.kind)".lowercased() == expected.type.lowercased(), name)
            #expect(property.isOptional == expected.optional, name)
            #expect(property.collection.map { "\($0)" } == expected.collection, name)
            #expect(property.isPrimaryKey == expected.primaryKey, name)
            #expect(property.isIndexed == expected.indexed, name)
            #expect(property.isFullText == expected.fullText, name)
            #expect(property.isEnumerated == (expected.enumerated ?? false), name)
            #expect(property.target.flatMap { file.class($0)?.name } == expected.target, name)
        }
    }

    private func compareObjects(
        _ object: RealmFileClass, _ table: ExpectedFile.Table, _ file: RealmFile
    ) throws {
        let expected = Dictionary(uniqueKeysWithValues: table.objects.map { ($0.key, $0) })
        let value = ExpectedValue(file: file)
        var cursor = file.objects(of: object)
        var hashes = object.properties.map { _ in SHA2(.sha256) }
        var keys = CanonicalBytes(file)
        var count = 0
        var compared = 0
        while let batch = try cursor.next() {
            count += batch.count
            for key in batch.keys { keys.integer(key) }
            for (column, property) in object.properties.enumerated() {
                var bytes = CanonicalBytes(file)
                for (row, key) in batch.keys.enumerated() {
                    let whole = try WholeValue(try batch.value(of: column, at: row))
                    bytes.append(whole)
                    guard let json = expected["\(key)"]?.values[property.name] else { continue }
                    compared += 1
                    #expect(
                        value.matches(whole, json),
                        "\(object.name).\(property.name) of \(key): \(whole) is not \(json)")
                }
                hashes[column].update(bytes.bytes)
            }
        }
        #expect(count == table.count && count >= table.objects.count)
        #expect(compared == table.objects.count * object.properties.count, "\(object.name)")
        #expect(hex(SHA2.digest(.sha256, of: keys.bytes)) == table.keysSHA256)
        for (column, property) in object.properties.enumerated() {
            // Old sets have another order; they were compared above.
            if property.collection == .set, file.info.format < 24 { continue }
            #expect(
                hex(hashes[column].digest()) == table.columnSHA256[property.name],
                "\(object.name).\(property.name)")
        }
    }
}
