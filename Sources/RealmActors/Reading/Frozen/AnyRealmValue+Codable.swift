extension AnyRealmValue: Decodable {
    /// Decodes null, a boolean, a number, a string, or, where values nest, an array or an object.
    /// Whole numbers become integers.
    public init(from decoder: any Decoder) throws {
        let json = try AnyJSON(from: decoder)
        do {
            self = try AnyRealmValue._convert(json.value, ValueConversion.unmanaged())
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "\(error)"))
        }
    }
}

extension AnyRealmValue: Encodable {
    /// Encodes the value itself; an unmanaged object as its class encodes it.
    ///
    /// - Throws: `EncodingError` for a managed object: encode its frozen value. Also for one whose
    ///   class is not `Encodable`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .object(let object): try container.encode(Self.encodable(object, encoder))
        case .list(let list): try container.encode(list)
        case .dictionary(let map): try container.encode(map)
        default: try container.encode(FrozenValue(self))
        }
    }

    private static func encodable(
        _ object: Object, _ encoder: any Encoder
    ) throws -> any Encodable {
        guard object.__state == AccessorState.unmanaged, let value = object as? any Encodable else {
            throw EncodingError.invalidValue(
                object,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "A '\(type(of: object))' in an AnyRealmValue does not encode. "
                        + "Make the class Encodable; encode managed objects by object.freeze()."))
        }
        return value
    }
}
