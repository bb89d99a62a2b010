import Foundation

extension UUID: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> UUID { try container.decode(Canonical.self, forKey: key).id }

    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> UUID {
        try container.decode(Canonical.self).id
    }

    /// Decodes a UUID in canonical form only, as `create` does: `UUID` itself also accepts blanks
    /// and signs in place of digits, and returns another UUID for them.
    private struct Canonical: Decodable {
        let id: UUID

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let id = UUID(canonical: text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "It is not a UUID in the canonical form.")
            }
            self.id = id
        }
    }
}
