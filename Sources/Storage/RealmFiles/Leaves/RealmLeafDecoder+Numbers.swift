extension RealmLeafDecoder {
    func integers(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [Int64?] {
        let node = try packed(ref, header, "integers")
        return type.isNullable ? Self.nullable(node) : node.integers().map { $0 }
    }

    /// The first element is the value that represents null.
    static func nullable(_ node: RealmNode) -> [Int64?] {
        guard node.count > 0 else { return [] }
        let null = node.integer(at: 0)
        return node.integers(from: 1).map { $0 == null ? nil : $0 }
    }

    func bools(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [Bool?] {
        let node = try packed(ref, header, "booleans")
        var values: [Bool?] = []
        values.reserveCapacity(node.count)
        for index in 0..<node.count {
            switch node.integer(at: index) {
            case 0: values.append(false)
            case 1: values.append(true)
            case 3 where type.isNullable: values.append(nil)
            case let value:
                throw reader.damaged(node.offset, "a boolean is \(value)")
            }
        }
        return values
    }

    func floats(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [UInt32?] {
        let node = try blocks(ref, header, widths: [4], "floats")
        return (0..<node.count).map { index in
            let bits = node.bits(at: index, as: UInt32.self)
            return type.isNullable && bits == 0x7FC0_00AA ? nil : bits
        }
    }

    func doubles(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [UInt64?] {
        let node = try blocks(ref, header, widths: [8], "doubles")
        return (0..<node.count).map { index in
            let bits = node.bits(at: index, as: UInt64.self)
            return type.isNullable && bits == 0x7FF8_0000_0000_00AA ? nil : bits
        }
    }

    func dates(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> [RealmFileDate?] {
        let parts = try parts(ref, header, count: 2, "dates")
        let seconds = try reader.integers(
            try reader.ref(parts, 0, "the seconds of dates"), "the seconds of dates")
        let count = max(seconds.count - 1, 0)
        guard count <= RealmListTree.leafCountMax else {
            throw reader.damaged(seconds.offset, "a leaf of \(count) dates")
        }
        let nanoseconds = try reader.integers(
            try reader.ref(parts, 1, "the nanoseconds of dates"), count: count,
            "the nanoseconds of dates")
        var dates: [RealmFileDate?] = []
        dates.reserveCapacity(count)
        for (index, seconds) in Self.nullable(seconds).enumerated() {
            guard let seconds else {
                dates.append(nil)
                continue
            }
            guard let date = RealmFileDate(seconds, nanoseconds.integer(at: index)) else {
                throw reader.damaged(nanoseconds.offset, "the nanoseconds of date \(index)")
            }
            dates.append(date)
        }
        return dates
    }

    /// Links: keys below -1 refer to objects that do not exist yet.
    func links(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> RealmFileColumn {
        let node = try packed(ref, header, "links")
        guard let target = type.target else {
            throw reader.damaged(node.offset, "links lead nowhere")
        }
        if case .cluster = place {
            return .link(node.integers().map { $0 > 0 ? $0 - 1 : nil }, table: target)
        }
        let keys = node.integers()
        guard !keys.contains(-1) else {
            throw reader.damaged(node.offset, "a list of links has one that leads nowhere")
        }
        return .link(keys.filter { $0 >= 0 }, table: target)
    }
}

extension RealmFileDate {
    /// Nil if the parts are not a valid date.
    init?(_ seconds: Int64, _ nanoseconds: Int64) {
        guard nanoseconds.magnitude < 1_000_000_000,
            seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
        else { return nil }
        self.init(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }
}
