#if os(Linux)
    /// A request of the kernel, as defined in `linux/fuse.h`: a header of 40 bytes, integers in
    /// native byte order, names that end with a zero.
    struct FuseRequest {
        /// The supported calls; the kernel works without the others.
        enum Operation: UInt32 {
            case lookup = 1
            case forget = 2
            case getAttributes = 3
            case setAttributes = 4
            case makeDirectory = 9
            case unlink = 10
            case removeDirectory = 11
            case rename = 12
            case open = 14
            case read = 15
            case write = 16
            case statistics = 17
            case release = 18
            case sync = 20
            case flush = 25
            case initialize = 26
            case openDirectory = 27
            case readDirectory = 28
            case releaseDirectory = 29
            case syncDirectory = 30
            case create = 35
            case interrupt = 36
            case destroy = 38
            case forgetMany = 42
            case allocate = 43
            case renameWithFlags = 45
        }

        static let headerSize = 40

        let operation: Operation?
        let unique: UInt64
        let node: UInt64
        private let bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            operation = Operation(rawValue: Self.load(bytes, 4))
            unique = Self.load(bytes, 8)
            node = Self.load(bytes, 16)
        }

        /// The integer at an offset after the header.
        func number<T: FixedWidthInteger>(_ offset: Int, as _: T.Type = T.self) -> T {
            Self.load(bytes, Self.headerSize + offset)
        }

        /// The names after a fixed part of so many bytes.
        func names(behind size: Int) -> [String] {
            payload(behind: size).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }

        func payload(behind size: Int) -> ArraySlice<UInt8> {
            bytes.dropFirst(Self.headerSize + size)
        }

        private static func load<T: FixedWidthInteger>(
            _ bytes: ArraySlice<UInt8>, _ offset: Int
        ) -> T {
            let start = bytes.startIndex + offset
            return bytes[start..<start + MemoryLayout<T>.size].reversed()
                .reduce(into: T.zero) { $0 = $0 << 8 | T(truncatingIfNeeded: $1) }
        }
    }

    /// A reply: fields in the order of the kernel's structures.
    struct FuseReply {
        private(set) var bytes: [UInt8] = []

        /// Success without contents.
        static let done = FuseReply()

        mutating func append<T: FixedWidthInteger>(_ number: T) {
            for index in 0..<MemoryLayout<T>.size {
                bytes.append(UInt8(truncatingIfNeeded: number >> T(8 * index)))
            }
        }

        mutating func append(_ data: some Sequence<UInt8>) { bytes.append(contentsOf: data) }

        /// Appends zeros up to a multiple of eight bytes.
        mutating func align() {
            while !bytes.count.isMultiple(of: 8) { bytes.append(0) }
        }

        /// The whole message: a header of 16 bytes, then this.
        func message(to unique: UInt64, error: Int32 = 0) -> [UInt8] {
            var message = FuseReply()
            message.append(UInt32(16 + bytes.count))
            message.append(-error)
            message.append(unique)
            message.append(bytes)
            return message.bytes
        }
    }

    /// The error number that a call fails with.
    struct FuseFailure: Error {
        let number: Int32

        init(_ number: Int32) { self.number = number }
    }
#endif
