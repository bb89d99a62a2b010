// Safety: every load is of an element below `count`, which is checked first; when the node was
// read, it was checked that the payload contains all elements.

extension RealmNode {
    /// The element at an index of a packed node: widths below 8 have no sign.
    func integer(at index: Int) -> Int64 {
        precondition(header.isPacked && index >= 0 && index < count)
        switch header.width {
        case 0: return 0
        case 1: return Int64(payload[index >> 3] >> UInt8(index & 7) & 1)
        case 2: return Int64(payload[index >> 2] >> UInt8((index & 3) * 2) & 3)
        case 4: return Int64(payload[index >> 1] >> UInt8((index & 1) * 4) & 15)
        case 8: return Int64(Int8(bitPattern: payload[index]))
        case 16: return Int64(load(index, Int16.self))
        case 32: return Int64(load(index, Int32.self))
        default: return load(index, Int64.self)
        }
    }

    /// The same for a node whose elements have no sign at any width.
    func unsigned(at index: Int) -> UInt64 {
        let value = UInt64(bitPattern: integer(at: index))
        return header.width < 64 ? value & (1 << UInt64(header.width) - 1) : value
    }

    /// All elements of a packed node from one on.
    func integers(from start: Int = 0) -> [Int64] {
        precondition(header.isPacked && start >= 0 && start <= count)
        switch header.width {
        case 8: return payload[start...].map { Int64(Int8(bitPattern: $0)) }
        case 16: return loadAll(from: start, Int16.self)
        case 32: return loadAll(from: start, Int32.self)
        case 64: return loadAll(from: start, Int64.self)
        default: return (start..<count).map { integer(at: $0) }
        }
    }

    /// The bits of the element at an index of a node of 4 or 8 bytes each.
    func bits<Value: FixedWidthInteger & BitwiseCopyable>(
        at index: Int, as type: Value.Type = Value.self
    ) -> Value {
        precondition(index >= 0 && (index + 1) * MemoryLayout<Value>.size <= payload.count)
        return load(index, type)
    }

    private func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ index: Int, _ type: Value.Type
    ) -> Value {
        payload.withUnsafeBytes {
            $0.integer(at: index * MemoryLayout<Value>.size, as: type)
        }
    }

    private func loadAll<Value: FixedWidthInteger & BitwiseCopyable>(
        from start: Int, _ type: Value.Type
    ) -> [Int64] {
        payload.withUnsafeBytes { bytes in
            (start..<count).map {
                Int64(bytes.integer(at: $0 * MemoryLayout<Value>.size, as: type))
            }
        }
    }
}
