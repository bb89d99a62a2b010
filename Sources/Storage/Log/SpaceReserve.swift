/// A file that holds nothing but space: given up when the disk is full, so that a checkpoint or a
/// transaction that deletes can be written, after which the store becomes smaller.
///
/// It is made again when there is space. A store without it works all the same.
struct SpaceReserve: Sendable {
    let fileSystem: any FileSystem
    let path: String
    let size: Int

    /// Makes the file if there is none. That it cannot be made is no failure: nothing is in it.
    func claim() {
        if let file = try? fileSystem.open(path, .readOnly), (try? file.size().length) == size {
            return
        }
        do throws(StorageError) {
            try fileSystem.open(path, .create).writeZeros(from: 0, to: size)
        } catch {
            try? fileSystem.remove(path)
        }
    }

    /// Gives the space up; false when there was none.
    func spend() -> Bool {
        do throws(StorageError) {
            try fileSystem.remove(path)
            return true
        } catch {
            return false
        }
    }
}
