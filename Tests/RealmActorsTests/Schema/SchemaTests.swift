import Foundation
import RealmActors
import Testing

private final class Sample: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var name: String?
    @Persisted var amount: Decimal128
    @Persisted var samples: List<Sample>
    @Persisted var words: MutableSet<String?>
    @Persisted var parts: Map<String, Part?>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "samples") var origins: LinkingObjects<Sample>
    override class func propertiesMapping() -> [String: String] { ["name": "label"] }
}

private final class Part: EmbeddedObject {
    @Persisted var size: Double
}

/// Section 2.1, rows `Schema`, `ObjectSchema`, `Property`; 1.1 M10.
@Suite struct SchemaTests {
    @Test func aSchemaSaysWhatClassesDeclare() async throws {
        try await withFreshRealm([Sample.self, Part.self]) { realm in
            let schema = realm.schema
            #expect(schema.objectSchema.map(\.className) == ["Sample", "Part"])
            let sample = try #require(schema["Sample"])
            #expect(sample == Sample.sharedSchema() && sample == Sample().objectSchema)
            #expect(sample == realm.snapshot().schema["Sample"] && schema["Nothing"] == nil)
            #expect(Sample.className() == "Sample" && !sample.isEmbedded)
            #expect(schema["Part"]?.isEmbedded == true)
            #expect(sample.primaryKeyProperty?.name == "id")
            #expect(
                sample.properties.map(\.type) == [
                    .objectId, .string, .decimal128, .object, .string, .object, .any,
                    .linkingObjects,
                ])
            let name = try #require(sample["name"])
            #expect(name.columnName == "label" && name.isOptional && name.isIndexed)
            #expect(!name.isPrimaryKey && !name.isArray && name.objectClassName == nil)
            let samples = try #require(sample["samples"])
            #expect(samples.isArray && samples.objectClassName == "Sample" && !samples.isOptional)
            #expect(sample["words"]?.isSet == true && sample["words"]?.isOptional == true)
            #expect(sample["parts"]?.isMap == true && sample["parts"]?.objectClassName == "Part")
            #expect(sample["origins"]?.linkOriginPropertyName == "samples")
            #expect(sample["origins"]?.objectClassName == "Sample" && sample["size"] == nil)
            #expect(sample.description.contains("parts: Map<String, Part?>"))
            #expect(sample.description.contains("id: objectId, primary key"))
        }
    }

    @Test func m10SchemasAreEqualWhenTheyDeclareTheSame() {
        #expect(Sample.sharedSchema() == Sample.sharedSchema())
        #expect(Sample.sharedSchema() != Part.sharedSchema())
    }
}
