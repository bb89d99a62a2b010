import Storage

/// A number of any kind that is a multiple of a thousandth and of a 1024th part, as so many of what
/// both of these are multiples of: compared without any thought about kinds.
struct NaiveNumber: Comparable {
    /// Of what has no parts: below zero where it comes before all that have.
    private let sign: Int
    private let parts: Int128
    var isNone: Bool { sign == -2 }

    /// Nil for what is no number.
    init?(_ value: StoredValue) {
        switch value {
        case .int(let value): self.init(parts: Int128(value) * 1_024_000)
        case .float(let value): self.init(Double(value))
        case .double(let value): self.init(value)
        case .decimal(let value):
            if !value.isFinite {
                self.init(value.isNaN ? .nan : (value.isNegative ? -.infinity : .infinity))
            } else {
                var parts = Int128(value.coefficient) * 1024 * (value.isNegative ? -1 : 1)
                for _ in 0..<(value.exponent + 3) { parts *= 10 }
                self.init(parts: parts)
            }
        default: return nil
        }
    }

    private init(parts: Int128) {
        self.init(sign: 0, parts: parts)
    }

    private init(sign: Int, parts: Int128) {
        self.sign = sign
        self.parts = parts
    }

    private init(_ value: Double) {
        guard value.isFinite else {
            self.init(sign: value.isNaN ? -2 : (value < 0 ? -1 : 1), parts: 0)
            return
        }
        guard let parts = Int128(exactly: value * 1024) else {
            preconditionFailure("\(value) is no multiple of a 1024th.")
        }
        self.init(parts: parts * 1000)
    }

    /// What is none comes first.
    static func < (a: NaiveNumber, b: NaiveNumber) -> Bool {
        a.sign != b.sign ? a.sign < b.sign : a.parts < b.parts
    }
}
