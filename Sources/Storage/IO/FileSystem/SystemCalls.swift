/// The calls that move bytes, below `POSIXFileSystem`: as the kernel makes them, each may be
/// interrupted by a signal and may move less than it was asked to. Tests put themselves in between.
///
/// They return -1 and leave the reason in `Platform.errorNumber`.
package protocol SystemCalls: Sendable {
    /// Reads some bytes; 0 at the end of the file.
    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int
    /// Writes some of the bytes.
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int
    /// Flushes the file down to the medium; 0 when that is done.
    func sync(_ descriptor: Int32) -> Int32
    /// Stores a part of the file, which promises nothing; 0 also where there is no such call.
    func writeOut(_ descriptor: Int32, from start: Int, count: Int) -> Int32
}

extension SystemCalls {
    package func writeOut(_ descriptor: Int32, from start: Int, count: Int) -> Int32 { 0 }
}

/// The kernel's own.
package struct KernelCalls: SystemCalls {
    package init() {}

    package func read(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int
    ) -> Int {
        Platform.readBytes(descriptor, buffer, offset)
    }

    package func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> Int {
        Platform.writeBytes(descriptor, bytes, offset)
    }

    package func sync(_ descriptor: Int32) -> Int32 { Platform.syncData(descriptor) }

    package func writeOut(_ descriptor: Int32, from start: Int, count: Int) -> Int32 {
        Platform.writeOut(descriptor, from: start, count: count)
    }
}
