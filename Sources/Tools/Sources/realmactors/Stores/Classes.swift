import Foundation
import RealmActors

extension Realm {
    /// A class that a command names.
    func requiredClass(_ name: String) throws -> ObjectSchema {
        if let found = schema[name] { return found }
        let names = schema.objectSchema.map(\.className).sorted().joined(separator: ", ")
        throw ToolError(.notFound, "The store has no class '\(name)'. It has: \(names).")
    }
}

extension Snapshot {
    /// The object that a command names by its primary key, as text.
    func requiredObject(
        _ type: ObjectSchema, _ key: String
    ) throws -> Frozen<DynamicObject> {
        guard let found = try object(type, key) else {
            if let failure { throw failure }
            throw ToolError(.notFound, "There is no '\(type.className)' with primary key \(key).")
        }
        return found
    }

    /// The object with a primary key that is given as text; nil when there is none.
    func object(_ type: ObjectSchema, _ text: String) throws -> Frozen<DynamicObject>? {
        guard let property = type.primaryKeyProperty else {
            throw RealmError.noPrimaryKey(className: type.className)
        }
        let name = type.className
        func mistake() -> ToolError {
            ToolError(.badInput, "'\(text)' is not a primary key of '\(name)': \(property).")
        }
        switch property.type {
        case .int:
            guard let key = Int(text) else { throw mistake() }
            return try dynamicObject(ofType: name, forPrimaryKey: key)
        case .uuid:
            guard let key = UUID(uuidString: text) else { throw mistake() }
            return try dynamicObject(ofType: name, forPrimaryKey: key)
        case .objectId:
            guard let key = ObjectId(text) else { throw mistake() }
            return try dynamicObject(ofType: name, forPrimaryKey: key)
        default: return try dynamicObject(ofType: name, forPrimaryKey: text)
        }
    }
}
