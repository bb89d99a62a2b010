import Foundation
import HTTPTypes
import Hummingbird
import RealmActors

/// A change that the page requests.
struct BrowseChange: Decodable {
    let ref: String
    let property: String?
    let text: String?

    private static let limit = 1 << 20

    /// Reads the body of a request. Its type is one that a form of another page cannot send.
    init(_ request: Request) async throws {
        guard request.headers[.contentType] == "application/json" else {
            throw HTTPError(.unsupportedMediaType, message: "A change must be JSON.")
        }
        let body = Data(try await request.body.collect(upTo: Self.limit).readableBytesView)
        guard let change = try? JSONDecoder().decode(BrowseChange.self, from: body) else {
            throw HTTPError(.badRequest, message: "The body is not a valid change.")
        }
        self = change
    }

    /// Gives a property the value that `set` would give it by the same text.
    func set(in realm: Realm) async throws -> [String: UInt64] {
        let snapshot = realm.snapshot()
        let reference = try ReferenceText.reference(ref)
        guard let object = snapshot.resolve(reference),
            let type = snapshot.schema[object.className]
        else { throw ToolError.objectWasDeleted }
        guard let key = type.primaryKeyProperty else {
            throw RealmError.noPrimaryKey(className: type.className)
        }
        guard let name = property, let property = type[name], !property.isPrimaryKey else {
            throw ToolError(.badInput, "The property cannot be set.")
        }
        let json = try TextValue(schema: realm.schema).json(text ?? "", property, in: type)
        let keyText = try JSONText.text(try object[key.name])
        let fields =
            "{\(try JSONText.text(key.name)):\(keyText),\(try JSONText.text(name)):\(json)}"
        let className = type.className
        try await realm.write(author: "realmactors browse") { tx in
            guard tx.resolve(reference) != nil else {
                throw ToolError.objectWasDeleted
            }
            try tx.dynamicCreate(
                className, json: Data(fields.utf8), update: .modified, unknownKeys: .refuse,
                links: .existing, decoder: JSONText.decoder())
            return
        }
        return ["version": realm.latestVersion.rawValue]
    }

    func delete(in realm: Realm) async throws -> [String: UInt64] {
        let reference = try ReferenceText.reference(ref)
        try await realm.write(author: "realmactors browse") { tx in
            if let object = tx.resolve(reference) { try tx.delete(object) }
        }
        return ["version": realm.latestVersion.rawValue]
    }
}
