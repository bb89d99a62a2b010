import Foundation
import RealmActors
import Testing

private final class Assay: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var name: String?
    @Persisted var amount: Decimal128
    @Persisted var samples: List<Assay>
    @Persisted var words: MutableSet<String?>
    @Persisted var parts: Map<String, Reagent?>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "samples") var origins: LinkingObjects<Assay>
    override class func propertiesMapping() -> [String: String] { ["name": "label"] }
}

private final class Reagent: EmbeddedObject {
    @Persisted var size: Double
}

/// `Schema`, `ObjectSchema` and `Property`.
@Suite struct SchemaTests {
    @Test("M10: a schema says what classes declare")
    func aSchemaSaysWhatClassesDeclare() async throws {
        try await withFreshRealm([Assay.self, Reagent.self]) { realm in
            let schema = realm.schema
            #expect(schema.objectSchema.map(\.className) == ["Assay", "Reagent"])
            let assay = try #require(schema["Assay"])
            #expect(assay == Assay.sharedSchema() && assay == Assay().objectSchema)
            #expect(assay == realm.snapshot().schema["Assay"] && schema["Nothing"] == nil)
            #expect(Assay.className() == "Assay" && !assay.isEmbedded)
            #expect(schema["Reagent"]?.isEmbedded == true)
            #expect(assay.primaryKeyProperty?.name == "id")
            #expect(
                assay.properties.map(\.type) == [
                    .objectId, .string, .decimal128, .object, .string, .object, .any,
                ])
            let name = try #require(assay["name"])
            #expect(name.columnName == "label" && name.isOptional && name.isIndexed)
            #expect(!name.isPrimaryKey && !name.isArray && name.objectClassName == nil)
            let samples = try #require(assay["samples"])
            #expect(samples.isArray && samples.objectClassName == "Assay" && !samples.isOptional)
            #expect(assay["words"]?.isSet == true && assay["words"]?.isOptional == true)
            #expect(assay["parts"]?.isMap == true && assay["parts"]?.objectClassName == "Reagent")
            #expect(assay["origins"]?.linkOriginPropertyName == "samples")
            #expect(assay["origins"]?.objectClassName == "Assay" && assay["size"] == nil)
            #expect(assay.description.contains("parts: Map<String, Reagent?>"))
            #expect(assay.description.contains("id: objectId, primary key"))
            #expect(assay.description.contains("origins: LinkingObjects<Assay>"))
        }
    }

    /// Inverse properties stood among the others, so that there was one value too many.
    @Test("M10, D2: the properties of a schema are what an array of values has elements for")
    func thePropertiesAreThoseOfAnArray() throws {
        let id = ObjectId.generate()
        let values: [String: Any] = [
            "id": id, "name": "a", "amount": 2, "words": ["x"], "any": 3,
        ]
        let names = Assay.sharedSchema().properties.map(\.name)
        #expect(names == ["id", "name", "amount", "samples", "words", "parts", "any"])
        let assay = try Assay(value: names.map { values[$0] as Any })
        #expect(assay.id == id && assay.name == "a" && assay.amount == 2 && assay.any == .int(3))
        #expect(Assay.sharedSchema()["origins"]?.type == .linkingObjects)
    }

    @Test("M10: schemas are equal when they declare the same")
    func schemasAreEqualWhenTheyDeclareTheSame() {
        #expect(Assay.sharedSchema() == Assay.sharedSchema())
        #expect(Assay.sharedSchema() != Reagent.sharedSchema())
    }
}
