/// The I/O calls below `POSIXFileSystem`. As in the kernel, each may be interrupted by a signal and
/// may transfer less than requested. Tests replace them to inject faults.
///
/// They return -1 and leave the reason in `Platform.errorNumber`.
package protocol SystemCalls: Sendable {
    /// Reads some bytes; 0 at the end of the file.
    func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int
    /// Writes some of the bytes.
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int
    /// Flushes the file to the medium; 0 on success.
    func sync(_ descriptor: Int32) -> Int32
    /// Writes a range of the file back, without a promise of durability; 0 also where the platform
    /// has no such call.
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
