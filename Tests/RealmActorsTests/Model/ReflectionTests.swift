import Foundation
import Testing

@testable import RealmActors

/// Reflection is how models are found without macros; everything stands on it.
@Suite struct ReflectionTests {
    @Test(arguments: [Everything.self, Person.self, Dog.self, Cat.self, Document.self])
    func offsetsAgreeWithTheMirror(type: ObjectBase.Type) {
        let fields = FieldReflection.fields(of: type).persisted
        let mirrored = FieldReflection.mirrored(type.init())
        #expect(fields.map(\.name) == mirrored.map(\.name))
        #expect(fields.map { "\($0.value)" } == mirrored.map { "\($0.value)" })
        #expect(fields.map(\.offset) == fields.map(\.offset).sorted())
    }

    @Test("M2: a superclass's properties come first")
    func superclassPropertiesComeFirst() {
        #expect(FieldReflection.fields(of: Cat.self).persisted.map(\.name) == ["legs", "lives"])
    }

    @Test("M6: properties that are not marked are ignored")
    func unwrappedPropertiesAreIgnored() {
        let model = DiscoveredModel.of(Person.self)
        #expect(model["visits"] == nil && model["displayName"] == nil)
        #expect(model.properties.first?.name == "id")
        #expect(model["id"]?.isPrimaryKey == true && model["name"]?.isIndexed == true)
    }

    @Test func everyOffsetReadsItsOwnProperty() throws {
        let object = try Everything(value: ["int8": 8, "string": "s", "optionalInt": 3])
        let values = DiscoveredModel.of(Everything.self).properties.map {
            ($0.name, $0.type._anyValue(object, at: $0.place))
        }
        let table = Dictionary(uniqueKeysWithValues: values)
        #expect(table["int8"] as? Int8 == 8)
        #expect(table["string"] as? String == "s")
        #expect(table["optionalInt"] as? Int == 3)
        #expect(table["rank"] as? Rank == .high)
    }
}
