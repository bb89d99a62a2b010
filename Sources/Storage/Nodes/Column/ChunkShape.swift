/// The form of a chunk's elements, which its reader knows from the schema.
///
/// A reader states the shape for a check when the chunk is read from disk; see ``NodeDemand``.
/// Every attached chunk has passed that, so reading single values checks no header.
@frozen @usableFromInline
struct ChunkShape: Equatable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Integers of any width.
    @inlinable static var integers: ChunkShape { ChunkShape(rawValue: 0) }
    @inlinable static var strings: ChunkShape { ChunkShape(rawValue: 1) }
    /// Containers.
    @inlinable static var slots: ChunkShape { ChunkShape(rawValue: 2) }
    /// Nothing: the column has only bits.
    static var none: ChunkShape { ChunkShape(rawValue: 3) }

    /// Values of `width` bytes each, 4 to 16.
    @inlinable
    static func fixed(_ width: Int) -> ChunkShape {
        ChunkShape(rawValue: UInt8(truncatingIfNeeded: width))
    }

    /// Nil if there must be no chunk.
    var form: Chunk.Form? {
        switch self {
        case .integers: .integers
        case .strings: .strings
        case .slots: .slots
        case .none: nil
        default: .fixed
        }
    }

    /// Whether the elements can have `width` bytes.
    func allows(_ width: Int) -> Bool {
        switch self {
        case .integers: [1, 2, 4, 8].contains(width)
        case .strings: width == StringView.size
        case .slots: width == Slot.size
        case .none: false
        default: width == Int(rawValue)
        }
    }

    /// Whether `chunk` has elements of this form.
    func fits(_ chunk: Chunk) -> Bool { chunk.soundForm == form && allows(chunk.width) }
}

extension Chunk {
    /// The form, nil if there is no such form.
    var soundForm: Form? { Form(rawValue: node.flags & 0xFF) }
}

extension ColumnSchema {
    /// The shape of chunks with this column's values; no chunk at all is zeros.
    var chunkShape: ChunkShape {
        if container != .none { return .slots }
        if kind == .bool, !isNullable { return .none }
        return kind.chunkShape
    }
}

extension ValueKind {
    var chunkShape: ChunkShape {
        switch layout {
        case .bit, .integer: .integers
        case .fixed(let width): .fixed(width)
        case .bytes: .strings
        }
    }
}
