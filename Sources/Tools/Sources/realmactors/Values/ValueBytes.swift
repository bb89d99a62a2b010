import Foundation
import RealmActors

/// How many bytes values are, apart from how a store packs them: 8 for a number, a date or a link,
/// 16 for an identifier of any kind or a decimal number, 1 for a Boolean, UTF-8 for a text.
enum ValueBytes {
    /// What the properties of an object hold; embedded objects are counted as their own class.
    static func count(_ object: Frozen<DynamicObject>, _ type: ObjectSchema) throws -> Int {
        try type.properties.reduce(0) { sum, property in
            property.type == .linkingObjects ? sum : sum + count(try object[property.name])
        }
    }

    static func count(_ value: FrozenValue) -> Int {
        switch value {
        case .none: 0
        case .bool: 1
        case .float: 4
        case .int, .double, .date, .object: 8
        case .uuid, .objectId, .decimal128: 16
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .list(let values): values.reduce(0) { $0 + count($1) }
        case .dictionary(let entries):
            entries.reduce(0) { $0 + $1.key.utf8.count + count($1.value) }
        }
    }
}
