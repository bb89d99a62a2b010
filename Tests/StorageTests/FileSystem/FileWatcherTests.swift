import Dispatch
import Synchronization
import Testing

@testable import Storage

/// Notifications of writes to files.
@Suite struct FileWatcherTests {
    /// Without a thread, the loop that waits for the system ran in the caller, which never
    /// returned.
    @Test func withoutAThreadNothingIsWatched() throws {
        try withTemporaryDirectory { root in
            let allowed = Mutex(false)
            let watcher = FileWatcher { body in
                allowed.withLock { $0 } && Platform.runOnThread(body)
            }
            let notified = DispatchSemaphore(value: 0)
            #expect(watcher.watch(root) { notified.signal() } == nil)
            allowed.withLock { $0 = true }
            let watch = watcher.watch(root) { notified.signal() }
            #expect(watch != nil)
            _ = try POSIXFileSystem().open(root + "/new", .create)
            #expect(notified.wait(timeout: .now() + .seconds(600)) == .success)
            withExtendedLifetime(watch) {}
        }
    }

    /// A watched folder reports new names on every system, but writes to its files only on one.
    @Test func aFileIsWatchedByItself() throws {
        try withTemporaryDirectory { root in
            let file = try POSIXFileSystem().open(root + "/log", .create)
            let (names, writes) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let watches = [
                FileWatcher.shared.watch(root) { names.signal() },
                FileWatcher.shared.watch(root + "/log") { writes.signal() },
            ]
            let bytes = AlignedBuffer(capacity: 64)
            try file.write(UnsafeRawBufferPointer(bytes.bytes), at: 0)
            #expect(writes.wait(timeout: .now() + .seconds(600)) == .success)
            #expect(names.wait(timeout: .now()) == .timedOut)
            _ = try POSIXFileSystem().open(root + "/new", .create)
            #expect(names.wait(timeout: .now() + .seconds(600)) == .success)
            #expect(FileWatcher.shared.watch(root + "/nothing") {} == nil)
            withExtendedLifetime(watches) {}
        }
    }
}
