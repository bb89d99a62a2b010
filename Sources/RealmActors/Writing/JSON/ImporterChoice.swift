import Storage

/// Chooses the importer of a property, by its type and its column in the store.
struct ImporterChoice {
    private let property: PropertyBinding
    /// The range of the column, if smaller than that of the type: for a class that the program does
    /// not declare, the type is `Int`.
    private let integers: IntegerRange?

    init(_ property: PropertyBinding) {
        self.property = property
        let integers = property.schema.integers
        self.integers = integers.holds(property.shape.integers) ? nil : integers
    }

    /// The importer of a property whose value is in the row itself; nil for any other.
    var value: (any ValueImporter)? {
        if let type = property.type as? any OptionalType.Type {
            return scalarImporter(type.wrapped).map { OptionalImporter(wrapped: $0) }
        }
        return scalarImporter(property.type)
    }

    /// The importer of a property that refers to other rows or has elements.
    var reference: any ReferenceImporter {
        if property.type == AnyRealmValue.self { return AnyValueImporter() }
        let wrapped = (property.type as? any OptionalType.Type)?.wrapped
        if wrapped is ObjectBase.Type, let target = property.schema.target {
            return LinkImporter(classID: target)
        }
        if property.schema.container == .none,
            let element = elementImporter(wrapped ?? property.type)
        {
            return EmbeddedValueImporter(
                element: element,
                decodesItself: (wrapped ?? property.type) is any Decodable.Type)
        }
        if let type = property.type as? any ElementsType.Type,
            let element = elementImporter(type.element)
        {
            switch property.schema.container {
            case .list: return ListImporter(element: element)
            case .set: return SetImporter(element: element)
            case .map:
                let takesNull = (type.element as? any MapValue.Type).map { value in
                    ValueConversion.takesDefault(value)
                }
                return MapImporter(
                    element: takesNull == true ? OptionalElementImporter(wrapped: element) : element
                )
            case .none: break
            }
        }
        return ConvertingImporter(property: property)
    }

    /// The importer of a property that fits into one column of the row; nil for any other.
    private func scalarImporter(_ type: Any.Type) -> (any ValueImporter & ElementImporter)? {
        guard let importer = Self.scalarImporter(type) else { return nil }
        return integers.map { BoundedImporter(base: importer, range: $0) } ?? importer
    }

    private static func scalarImporter(
        _ type: Any.Type
    ) -> (any ValueImporter & ElementImporter)? {
        if let type = type as? any DirectScalar.Type { return direct(type) }
        guard let scalar = type as? any PersistableScalar.Type,
            scalar._scalarShape.target == nil
        else { return nil }
        if let type = type as? any (PersistableScalar & Decodable).Type {
            return Self.scalar(type)
        }
        if let type = type as? any FailableCustomPersistable.Type { return custom(type) }
        return nil
    }

    private func elementImporter(_ type: Any.Type) -> (any ElementImporter)? {
        if type == AnyRealmValue.self { return AnyElementImporter() }
        if type is ObjectBase.Type, let target = property.schema.target {
            return ObjectElementImporter(classID: target)
        }
        if let scalar = scalarImporter(type) { return scalar }
        if let type = type as? any OptionalType.Type {
            return elementImporter(type.wrapped).map { OptionalElementImporter(wrapped: $0) }
        }
        if let type = type as? any (CollectionElement & Decodable).Type {
            return Self.decoded(type)
        }
        if let type = type as? any CollectionElement.Type { return Self.converted(type) }
        return nil
    }

    private static func custom<Value: FailableCustomPersistable>(
        _: Value.Type
    ) -> (any ValueImporter & ElementImporter)? {
        scalarImporter(Value.PersistedType.self).map { CustomImporter<Value>(stored: $0) }
    }

    private static func decoded<Element: CollectionElement & Decodable>(
        _: Element.Type
    ) -> any ElementImporter { DecodedElementImporter<Element>() }

    private static func converted<Element: CollectionElement>(
        _: Element.Type
    ) -> any ElementImporter { ConvertedElementImporter<Element>() }

    private static func direct<Scalar: DirectScalar>(
        _: Scalar.Type
    ) -> any ValueImporter & ElementImporter { DirectImporter<Scalar>() }

    private static func scalar<Scalar: PersistableScalar & Decodable>(
        _: Scalar.Type
    ) -> any ValueImporter & ElementImporter { ScalarImporter<Scalar>() }
}
