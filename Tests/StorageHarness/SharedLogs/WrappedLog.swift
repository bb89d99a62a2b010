package import Storage

/// A shared log that does what another one does, but for what it says itself.
package protocol WrappedLog: SharedLog {
    var base: any SharedLog { get }
}

extension WrappedLog {
    package func append(
        _ entry: [UInt8], at slot: LogSlot, behind last: SharedEntryHash?
    ) throws(SharedLogError) -> Bool {
        try base.append(entry, at: slot, behind: last)
    }

    package func entries(
        from slot: LogSlot, bytesMax: Int
    ) throws(SharedLogError) -> [SharedLogEntry] {
        try base.entries(from: slot, bytesMax: bytesMax)
    }

    package func head() throws(SharedLogError) -> SharedLogHead { try base.head() }

    package var knownNext: LogSlot? { base.knownNext }

    package func barrier() throws(SharedLogError) { try base.barrier() }

    package func watch(for slot: LogSlot, _ noticed: @escaping SharedLogWatcher) {
        base.watch(for: slot, noticed)
    }

    package func wake() { base.wake() }

    package func send(_ message: [UInt8]) throws(SharedLogError) { try base.send(message) }

    package func images() throws(SharedLogError) -> [SharedLogImage] { try base.images() }

    package func addImage(_ image: SharedLogImage, part: () throws -> [UInt8]?) throws {
        try base.addImage(image, part: part)
    }

    package func part(_ number: Int, of image: SharedLogImage) throws(SharedLogError) -> [UInt8] {
        try base.part(number, of: image)
    }

    package func trim(below slot: LogSlot, imagesBelow image: LogSlot?) throws(SharedLogError) {
        try base.trim(below: slot, imagesBelow: image)
    }

    package func stopWaiting() { base.stopWaiting() }

    package func close() { base.close() }
}
