// Safety: a view of a record in LMDB's map or in a buffer of the peer, valid as long as whoever
// gave it says. Every offset is inside a record: `pack` wrote all of it.

/// A person packed by hand: score, age, flag, the lengths of both texts, then their bytes.
///
///     offset 0   score, Double
///            8   age, Int32
///           12   active, 1 byte
///           13   length of the name
///           14   length of the e-mail address
///           16   name, e-mail address
struct LMDBPerson {
    private let base: UnsafeRawPointer

    init(_ base: UnsafeRawPointer) { self.base = base }

    private static let texts = 16
    /// No record is larger.
    static let room = 64

    var score: Double { base.loadUnaligned(as: Double.self) }
    var age: Int { Int(base.loadUnaligned(fromByteOffset: 8, as: Int32.self)) }
    var isActive: Bool { base.load(fromByteOffset: 12, as: UInt8.self) != 0 }
    var size: Int { Self.texts + nameLength + emailLength }

    private var nameLength: Int { Int(base.load(fromByteOffset: 13, as: UInt8.self)) }
    private var emailLength: Int { Int(base.load(fromByteOffset: 14, as: UInt8.self)) }

    /// The bytes of the name.
    var name: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + Self.texts, count: nameLength)
    }

    /// The bytes of the e-mail address.
    var email: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + Self.texts + nameLength, count: emailLength)
    }

    var initial: Int { Int(base.load(fromByteOffset: Self.texts, as: UInt8.self)) }

    /// The first eight bytes of the name, in an order that numbers keep.
    var namePrefix: UInt64 {
        let bytes = base.loadUnaligned(fromByteOffset: Self.texts, as: UInt64.self)
        let prefix = UInt64(bigEndian: bytes)
        return nameLength >= 8 ? prefix : prefix & ~(.max >> UInt64(nameLength * 8))
    }

    var nameText: String { String(decoding: name, as: UTF8.self) }

    /// Whether three bytes stand in the name, one after the other.
    func nameContains(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        let name = name
        guard name.count >= 3 else { return false }
        for index in 0...(name.count - 3) where name[index] == first {
            if name[index + 1] == second, name[index + 2] == third { return true }
        }
        return false
    }

    /// Copies the record into a buffer and changes the age there.
    func copy(to buffer: UnsafeMutableRawPointer, age: Int) -> UnsafeMutableRawBufferPointer {
        buffer.copyMemory(from: base, byteCount: size)
        buffer.storeBytes(of: Int32(age), toByteOffset: 8, as: Int32.self)
        return UnsafeMutableRawBufferPointer(start: buffer, count: size)
    }

    /// Writes a person of the data set into a buffer.
    static func pack(
        _ number: Int, into buffer: UnsafeMutableRawPointer
    ) -> (record: UnsafeMutableRawBufferPointer, email: UnsafeMutableRawBufferPointer) {
        buffer.storeBytes(of: Dataset.score(number), as: Double.self)
        buffer.storeBytes(of: Int32(Dataset.age(number)), toByteOffset: 8, as: Int32.self)
        buffer.storeBytes(of: Dataset.isActive(number) ? 1 : 0, toByteOffset: 12, as: UInt8.self)
        let nameEnd = pack(Dataset.name(number), into: buffer, at: texts, length: 13)
        let end = pack(Dataset.email(number), into: buffer, at: nameEnd, length: 14)
        return (
            UnsafeMutableRawBufferPointer(start: buffer, count: end),
            UnsafeMutableRawBufferPointer(start: buffer + nameEnd, count: end - nameEnd)
        )
    }

    /// Writes a text and its length; where it ends.
    private static func pack(
        _ text: String, into buffer: UnsafeMutableRawPointer, at start: Int, length: Int
    ) -> Int {
        precondition(start + text.utf8.count <= room)
        var text = text
        let count = text.withUTF8 { bytes in
            if let base = bytes.baseAddress {
                (buffer + start).copyMemory(from: base, byteCount: bytes.count)
            }
            return bytes.count
        }
        buffer.storeBytes(of: UInt8(count), toByteOffset: length, as: UInt8.self)
        return start + count
    }
}
