import Foundation

// Safety: libFuzzer lends the input for the length of the call, which copies it.

/// Reads the input as a `.realm` file: as it is, and as a salvage.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRealmFile(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    var strict = RealmFileReading()
    let isIntact = (try? strict.read(try RealmFileReading.open(bytes))) != nil
    var salvage = RealmFileReading()
    do {
        _ = try salvage.read(try RealmFileReading.open(bytes, salvage: true))
    } catch {
        // What a salvage cannot open, nothing else can.
        precondition(!isIntact && error is RealmFileError)
        return 0
    }
    precondition(salvage.values >= strict.values)
    precondition(!isIntact || salvage.report.isIntact)
    return 0
}

/// Called by libFuzzer before it begins: writes the first inputs when asked to.
///
/// They are the smallest of the files that the tests read.
@_cdecl("LLVMFuzzerInitialize")
public func prepareRealmFiles(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer
) -> CInt {
    let folder = "Tests/StorageTests/RealmFiles/Files/"
    let names = ["unusual", "empty-new", "empty-schema"]
    FuzzSeeds.writeIfAsked(
        names.compactMap { name in
            guard let data = FileManager.default.contents(atPath: folder + name + ".realm") else {
                return nil
            }
            return (name, Array(data))
        })
    return 0
}
