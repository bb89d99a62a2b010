extension RealmLeafDecoder {
    func objectIDs(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [RealmFileObjectID?] {
        try fixed(ref, header, width: 12, "ObjectIds") { RealmFileObjectID($0) }
    }

    func uuids(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [RealmFileUUID?] {
        try fixed(ref, header, width: 16, "UUIDs") { RealmFileUUID($0) }
    }

    /// Blocks of up to eight values after a byte of null flags.
    private func fixed<Value>(
        _ ref: UInt64, _ header: RealmNodeHeader, width: Int, _ what: String,
        _ value: (ArraySlice<UInt8>) -> Value?
    ) throws(RealmFileError) -> [Value?] {
        let node = try blocks(ref, header, widths: [1], what)
        let block = 8 * width + 1
        let blocks = (node.count + block - 1) / block
        let count = (node.count - blocks) / width
        guard count * width + blocks == node.count, (count + 7) / 8 == blocks else {
            throw reader.damaged(
                node.offset, "\(node.count) bytes of \(what) are not a whole number")
        }
        return (0..<count).map { index in
            let start = index / 8 * block
            if node.payload[start] >> UInt8(index % 8) & 1 != 0 { return nil }
            let offset = start + 1 + index % 8 * width
            return value(node.payload[offset..<offset + width])
        }
    }

    func decimals(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [RealmFileDecimal?] {
        let node = try blocks(ref, header, widths: [0, 4, 8, 16], "decimals")
        // When Realm copies a leaf of only zeros to a new one, it loses the information that they
        // are not null. In a column that is not nullable, null therefore means zero.
        let null: RealmFileDecimal? = type.isNullable ? nil : .zero
        return (0..<node.count).map { index in
            switch header.width {
            case 0:
                return header.context ? .zero : null
            case 4:
                let bits = node.bits(at: index, as: UInt32.self)
                return bits == 0x7C00_00AA ? null : RealmFileDecimal(decimal32: bits)
            case 8:
                let bits = node.bits(at: index, as: UInt64.self)
                return bits == 0x7C00_0000_0000_00AA ? null : RealmFileDecimal(decimal64: bits)
            default:
                let decimal = RealmFileDecimal(
                    low: node.bits(at: 2 * index), high: node.bits(at: 2 * index + 1))
                return decimal == .null ? null : decimal
            }
        }
    }
}

extension RealmFileDecimal {
    private static let exponentShift: UInt64 = 49
    private static let bias: UInt64 = 6176

    /// The representation of null.
    static let null = RealmFileDecimal(low: 0xAA, high: 0x7C00_0000_0000_0000)
    static let zero = RealmFileDecimal(low: 0, high: bias << exponentShift)

    /// The same number at full width.
    init(decimal64 bits: UInt64) {
        if bits >> 59 & 0xF == 0xF {
            self.init(special: bits)
            return
        }
        let isLarge = bits >> 61 & 3 == 3
        let exponent = (isLarge ? bits >> 51 : bits >> 53) & 0x3FF
        let coefficient =
            isLarge ? 1 << 53 | bits & (1 << 51 - 1) : bits & (1 << 53 - 1)
        self.init(
            isNegative: bits >> 63 != 0, exponent: exponent + Self.bias - 398, coefficient)
    }

    /// The same number at full width.
    init(decimal32 bits: UInt32) {
        let bits = UInt64(bits)
        if bits >> 27 & 0xF == 0xF {
            self.init(special: bits << 32)
            return
        }
        let isLarge = bits >> 29 & 3 == 3
        let exponent = (isLarge ? bits >> 21 : bits >> 23) & 0xFF
        let coefficient =
            isLarge ? 1 << 23 | bits & (1 << 21 - 1) : bits & (1 << 23 - 1)
        self.init(
            isNegative: bits >> 31 != 0, exponent: exponent + Self.bias - 101, coefficient)
    }

    /// Infinity or NaN, of which the sign and the next five bits are the same at all widths. Realm
    /// takes them for zeros when it chooses a width, and narrows those without a payload.
    private init(special bits: UInt64) {
        self.init(low: 0, high: bits & 0xFC00_0000_0000_0000)
    }

    private init(isNegative: Bool, exponent: UInt64, _ coefficient: UInt64) {
        let sign: UInt64 = isNegative ? 1 << 63 : 0
        self.init(low: coefficient, high: sign | exponent << Self.exponentShift)
    }
}

extension RealmFileObjectID {
    /// Nil unless there are twelve bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 12 else { return nil }
        self.init(
            high: bytes.bigEndian(from: 0), low: UInt32(bytes.bigEndian(from: 8, count: 4)))
    }
}

extension RealmFileUUID {
    /// Nil unless there are sixteen bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: bytes.bigEndian(from: 0), low: bytes.bigEndian(from: 8))
    }
}

extension ArraySlice<UInt8> {
    /// Bytes of the slice as a big-endian number.
    fileprivate func bigEndian(from start: Int, count: Int = 8) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<count { number = number << 8 | UInt64(self[startIndex + start + index]) }
        return number
    }
}
