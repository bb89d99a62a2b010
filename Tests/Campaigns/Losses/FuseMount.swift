#if os(Linux)
    import Foundation
    import Glibc

    /// A directory at which a `LossyFileSystem` is mounted: the calls of any process there go
    /// through the kernel and are answered here.
    final class FuseMount: Sendable {
        let path: String
        private let device: Int32
        private let files: LossyFileSystem

        /// The number of answering threads, so that concurrent calls overlap.
        private static let threads = 3

        /// Nil if the system has no such device, or this user may not mount.
        init?(_ files: LossyFileSystem, at path: String) {
            // Not inherited by children, which would keep the mount alive.
            let device = Glibc.open("/dev/fuse", O_RDWR | O_CLOEXEC)
            guard device >= 0 else { return nil }
            let options = "fd=\(device),rootmode=40000,user_id=\(getuid()),group_id=\(getgid())"
            guard mount("realm-actors", path, "fuse", UInt(MS_NOSUID | MS_NODEV), options) == 0
            else {
                close(device)
                return nil
            }
            (self.path, self.device, self.files) = (path, device, files)
            for _ in 0..<Self.threads {
                Thread.detachNewThread { [self] in serve() }
            }
        }

        // The last answering thread holds the last reference.
        deinit { close(device) }

        /// Unmounts the directory; processes with open files there get errors.
        func unmount() { _ = umount2(path, Int32(MNT_DETACH)) }

        private func serve() {
            var buffer = [UInt8](repeating: 0, count: FuseReply.transferSize + (8 << 10))
            while true {
                let count = read(device, &buffer, buffer.count)
                guard count >= FuseRequest.headerSize else {
                    if count < 0, errno == EINTR || errno == EAGAIN || errno == ENOENT { continue }
                    return
                }
                let request = FuseRequest(buffer[..<count])
                let delay = files.delay(of: request)
                if delay > 0 { usleep(delay) }
                guard let answer = files.answer(request) else { continue }
                // An error is ignored: the caller may not wait for the answer any more.
                _ = write(device, answer, answer.count)
            }
        }
    }
#endif
