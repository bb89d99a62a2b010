/// A scalar for which decoders have a dedicated method, several times faster than its
/// `init(from:)`.
protocol DirectScalar: PersistableScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> Self
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> Self
}

extension String: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> String { try container.decode(String.self, forKey: key) }
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> String {
        try container.decode(String.self)
    }
}

extension Bool: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> Bool { try container.decode(Bool.self, forKey: key) }
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> Bool {
        try container.decode(Bool.self)
    }
}

extension Double: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> Double { try container.decode(Double.self, forKey: key) }
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> Double {
        try container.decode(Double.self)
    }
}

extension Float: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> Float { try container.decode(Float.self, forKey: key) }
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> Float {
        try container.decode(Float.self)
    }
}

extension Int: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> Int { try container.decode(Int.self, forKey: key) }
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> Int {
        try container.decode(Int.self)
    }
}

extension Int64: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> Int64 { try container.decode(Int64.self, forKey: key) }
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> Int64 {
        try container.decode(Int64.self)
    }
}

extension Int32: DirectScalar {
    static func direct(
        _ container: KeyedDecodingContainer<NameKey>, _ key: NameKey
    ) throws -> Int32 { try container.decode(Int32.self, forKey: key) }
    static func direct(_ container: inout any UnkeyedDecodingContainer) throws -> Int32 {
        try container.decode(Int32.self)
    }
}
