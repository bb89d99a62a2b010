import StorageHarness
import Testing

@testable import Storage

/// The rotation of the lease among several hosts, on a simulated clock.
@Suite final class HostRotationTests {
    private static let names = (1...4).map { Bits128(low: UInt64($0), high: 0) }
    private let start = Instant.now
    private var host = HostRotation(host: names[0])
    private let other = names[1]

    private func at(_ milliseconds: Int) -> Instant {
        start + .milliseconds(milliseconds)
    }

    private func step(_ milliseconds: Int) -> HostRotation.Step {
        host.next(at: at(milliseconds))
    }

    private func receive(_ message: HostMessage, _ milliseconds: Int) -> Bool {
        host.receive(message, at: at(milliseconds))
    }

    @Test func aHostAloneAlwaysWrites() {
        for time in 0..<1000 {
            #expect(step(time) == .write)
            host.noteAppend(at: at(time))
        }
        #expect(host.successor(isAboutToWrite: false) == nil)
    }

    @Test func oneLossIsRepeatedAtOnce() {
        host.noteLoss(at: at(0))
        #expect(step(0) == .write)
        host.noteAppend(at: at(1))
        host.noteLoss(at: at(2))
        #expect(step(2) == .write)
    }

    @Test func requestsTheLeaseAndWaitsWhileOthersAppend() {
        host.noteLoss(at: at(0))
        host.noteLoss(at: at(1))
        #expect(step(1) == .request(isLate: false))
        for time in 2..<500 {
            host.noteEntry(of: other, at: at(time))
            // It repeats the request, since a message may be lost.
            let isToRequest = time > 1 && (time - 1).isMultiple(of: 100)
            #expect(step(time) == (isToRequest ? .request(isLate: false) : .wait))
        }
        // No messages of the others arrive.
        #expect(step(500) == .wait)
        #expect(step(518) == .request(isLate: false))
        #expect(step(519) == .write)
    }

    @Test func waitsNoLongerThanItsTimeout() {
        host.noteLoss(at: at(0))
        host.noteLoss(at: at(0))
        _ = step(0)
        for time in 0..<2000 {
            host.noteEntry(of: other, at: at(time))
            #expect(step(time) != .write)
        }
        #expect(step(2000) == .write)
        // No host has responded: it competes for appends, and repeats its requests.
        for time in 2000..<2100 {
            host.noteLoss(at: at(time))
            if step(time) == .request(isLate: false) {
                #expect(step(time) == .write)
            }
        }
    }

    @Test func passesTheLeaseAfterItsTimeSliceAndAsks() {
        host.noteAppend(at: at(0))
        #expect(!receive(.request(other, isLate: false), 5))
        #expect(step(19) == .write)
        #expect(step(20) == .pass(to: other))
        #expect(step(21) == .wait)
        host.noteAppend(at: at(22))
        host.passed(to: other, at: at(22))
        #expect(step(23) == .wait)
        #expect(receive(.pass(from: other, to: host.host), 30))
        #expect(step(30) == .write)
    }

    @Test func passesTheLeaseEarlyWhenIdle() throws {
        host.noteAppend(at: at(0))
        _ = receive(.request(other, isLate: false), 1)
        let successor = try #require(host.successor(isAboutToWrite: false))
        #expect(successor.host == other && successor.notBefore == at(3))
        host.passed(to: other, at: at(3))
        #expect(host.successor(isAboutToWrite: false) == nil)
        // It has something to write after all, and waits.
        #expect(step(4) == .request(isLate: false))
        #expect(step(4) == .wait)
    }

    /// The other host has a copy of its folder, and with it the former identifier.
    @Test func aRenamedHostTakesRequestsOfItsFormerIdentifier() {
        let former = host.host
        host.noteAppend(at: at(0))
        _ = receive(.request(former, isLate: false), 1)
        #expect(host.successor(isAboutToWrite: false) == nil)
        host.rename(other)
        _ = receive(.request(former, isLate: false), 2)
        #expect(host.successor(isAboutToWrite: false)?.host == former)
    }

    /// An append from long ago does not prove that the host is idle now.
    @Test func aHostWithTheLeaseHasTimeToBegin() throws {
        host.noteAppend(at: at(0))
        host.noteLoss(at: at(90))
        host.noteLoss(at: at(91))
        #expect(step(91) == .request(isLate: false))
        #expect(receive(.pass(from: other, to: host.host), 100))
        #expect(!receive(.request(other, isLate: false), 100))
        #expect(try #require(host.successor(isAboutToWrite: false)).notBefore == at(103))
    }

    @Test func anUnneededLeaseIsPassedOn() throws {
        _ = receive(.request(other, isLate: false), 0)
        #expect(host.successor(isAboutToWrite: false) == nil)
        _ = receive(.pass(from: Self.names[2], to: host.host), 1)
        #expect(try #require(host.successor(isAboutToWrite: false)).host == other)
    }

    @Test func aTooShortTimeoutGrows() {
        var time = 0
        for _ in 0..<9 {
            host.noteLoss(at: at(time))
            host.noteLoss(at: at(time))
            _ = step(time)
            while step(time) != .write {
                time += 1
                // Appends that take longer than the minimum timeout.
                if time.isMultiple(of: 300) { host.noteEntry(of: other, at: at(time)) }
            }
        }
        #expect(host.takeOverTimeout > .milliseconds(300))
    }

    /// The others took over before it had appended anything, which it reports.
    @Test func aLateHostIncreasesTheTimeout() {
        host.noteLoss(at: at(0))
        host.noteLoss(at: at(0))
        _ = step(0)
        _ = receive(.pass(from: other, to: host.host), 1)
        host.noteLoss(at: at(60))
        host.noteLoss(at: at(120))
        #expect(step(120) == .request(isLate: true))
        for _ in 0..<3 { _ = receive(.request(other, isLate: true), 130) }
        #expect(host.takeOverTimeout == .milliseconds(160))
        // Now it responds in time.
        _ = receive(.pass(from: Self.names[2], to: other), 221)
        host.noteEntry(of: other, at: at(300))
        #expect(host.takeOverTimeout == .milliseconds(140))
        host.noteEntry(of: other, at: at(301))
        #expect(host.takeOverTimeout == .milliseconds(140))
    }

    /// Leases without an append are part of one wait.
    @Test func anUnusedLeaseDoesNotRestartTheWait() {
        host.noteLoss(at: at(0))
        host.noteLoss(at: at(0))
        var time = 0
        while time < 2100 {
            _ = step(time)
            if step(time) == .write { break }
            time += 25
            _ = receive(.request(other, isLate: false), time)
            _ = receive(.pass(from: other, to: host.host), time)
            host.passed(to: other, at: at(time + 3))
            for entry in 4..<24 { host.noteEntry(of: other, at: at(time + entry)) }
        }
        #expect(time >= 2000 && time < 2100)
    }

    @Test func pendingWritesKeepTheLease() {
        host.noteAppend(at: at(0))
        _ = receive(.request(other, isLate: false), 1)
        #expect(host.successor(isAboutToWrite: true) == nil)
    }

    /// Its tasks may resume late: the time slice does not end before its first append.
    @Test func aTimeSliceBeginsWithTheFirstAppend() {
        host.noteLoss(at: at(0))
        host.noteLoss(at: at(0))
        _ = step(0)
        _ = receive(.request(other, isLate: false), 0)
        _ = receive(.pass(from: other, to: host.host), 1)
        _ = receive(.request(other, isLate: false), 1)
        #expect(step(900) == .write)
        host.noteAppend(at: at(950))
        #expect(step(960) == .write)
        #expect(step(970) == .pass(to: other))
    }

    @Test func theHolderIsTheLastHostThatAppendedOrGotTheLease() {
        #expect(host.leaseHolder == nil)
        host.noteEntry(of: other, at: at(0))
        #expect(host.leaseHolder == other)
        host.noteAppend(at: at(1))
        #expect(host.leaseHolder == host.host)
        host.passed(to: other, at: at(2))
        #expect(host.leaseHolder == other)
        #expect(!receive(.pass(from: other, to: Self.names[2]), 3))
        #expect(host.leaseHolder == Self.names[2])
        // Another host was first, and its entry is not read yet.
        host.noteLoss(at: at(4))
        #expect(host.leaseHolder == nil)
        host.noteRead(of: Self.names[3])
        #expect(host.leaseHolder == Self.names[3])
    }

    @Test func aHostThatTakesTheLeaseOverIsItsHolder() {
        host.passed(to: other, at: at(0))
        #expect(step(0) == .request(isLate: false))
        #expect(host.leaseHolder == other)
        #expect(step(20) == .write)
        #expect(host.leaseHolder == host.host)
    }

    @Test func ownMessagesSayNothing() {
        #expect(!receive(.request(host.host, isLate: false), 0))
        #expect(!receive(.pass(from: host.host, to: other), 0))
        host.noteAppend(at: at(0))
        #expect(host.successor(isAboutToWrite: false) == nil)
    }

    @Test func messagesAreDecodedAsEncoded() {
        let (one, other) = (Self.names[0], Self.names[1])
        for message in [
            HostMessage.request(one, isLate: true), .request(one, isLate: false),
            .pass(from: one, to: other),
        ] {
            #expect(HostMessage(message.bytes) == message)
        }
        #expect(HostMessage([]) == nil && HostMessage([1, 2]) == nil)
    }

    /// Hosts that always have something to write, with appends that take a while.
    @Test(arguments: [2, 3, 4], [0, 20, 100])
    func everyHostHasItsShare(count: Int, lostPercent: Int) {
        var model = RotationModel(Array(Self.names.prefix(count)), start, lostPercent: lostPercent)
        for _ in 0..<20_000 { model.step() }
        let sum = model.appends.reduce(0, +)
        // Of the 5,000 appends that one host alone would make.
        #expect(sum > 3_500, "\(model.appends)")
        // Without any messages, the hosts only compete.
        if lostPercent == 100 { return }
        let least = model.appends.min() ?? 0
        #expect(least * count > sum * (lostPercent == 0 ? 8 : 3) / 10, "\(model.appends)")
        if lostPercent == 0 { #expect(model.losses < sum / 10, "\(model.losses) of \(sum)") }
    }

    /// Its body takes longer than the initial timeout of the others.
    @Test func aHostWithLongBodiesGetsTheLease() {
        var model = RotationModel(Array(Self.names.prefix(3)), start, lostPercent: 0)
        model.hosts[1].append = 60
        for _ in 0..<20_000 { model.step() }
        let least = model.appends.min() ?? 0
        #expect(least > 50, "\(model.appends)")
    }
}

/// Hosts and a log, simulated in steps of a millisecond.
private struct RotationModel {
    /// The duration of a message, and of reading an entry, in milliseconds.
    private static let (message, read) = (1, 1)

    struct Host {
        var rotation: HostRotation
        /// The duration of a body and its append, in milliseconds.
        var append = 4
        /// The number of entries of the log that it has applied.
        var applied = 0
        /// The entry that it is appending, and since when.
        var appending: (slot: Int, since: Int)?
        var passingTo: Bits128?
        var inbox: [(time: Int, message: HostMessage)] = []
    }

    private let start: Instant
    private let lostPercent: Int
    var hosts: [Host]
    private var generator = SeededGenerator(seed: 7)
    /// The time and the host of each entry.
    private var log: [(time: Int, host: Int)] = []
    private var time = 0
    private(set) var appends: [Int]
    private(set) var losses = 0

    init(_ names: [Bits128], _ start: Instant, lostPercent: Int) {
        self.start = start
        self.lostPercent = lostPercent
        hosts = names.map { Host(rotation: HostRotation(host: $0)) }
        appends = names.map { _ in 0 }
    }

    private var now: Instant { start + .milliseconds(time) }

    mutating func step() {
        time += 1
        // The order of concurrent appends is random.
        for number in hosts.indices.shuffled(using: &generator) {
            read(number)
            endAppend(number)
            write(number)
        }
    }

    private mutating func read(_ number: Int) {
        while hosts[number].applied < log.count, hosts[number].appending == nil,
            log[hosts[number].applied].time + Self.read <= time
        {
            let author = hosts[log[hosts[number].applied].host].rotation.host
            hosts[number].applied += 1
            hosts[number].rotation.noteEntry(of: author, at: now)
        }
        let arrived = hosts[number].inbox.filter { $0.time <= time }
        hosts[number].inbox.removeAll { $0.time <= time }
        for (_, message) in arrived { _ = hosts[number].rotation.receive(message, at: now) }
    }

    private mutating func endAppend(_ number: Int) {
        guard let (slot, since) = hosts[number].appending, time >= since + hosts[number].append
        else {
            return
        }
        hosts[number].appending = nil
        if slot == log.count {
            log.append((time, number))
            appends[number] += 1
            hosts[number].applied = log.count
            hosts[number].rotation.noteAppend(at: now)
        } else {
            losses += 1
            hosts[number].rotation.noteLoss(at: now)
        }
        if let next = hosts[number].passingTo {
            hosts[number].passingTo = nil
            pass(number, to: next)
        }
    }

    private mutating func pass(_ number: Int, to next: Bits128) {
        let name = hosts[number].rotation.host
        hosts[number].rotation.passed(to: next, at: now)
        send(.pass(from: name, to: next))
        send(.request(name, isLate: false))
    }

    private mutating func write(_ number: Int) {
        while hosts[number].appending == nil {
            switch hosts[number].rotation.next(at: now) {
            case .write:
                // Entries of others are applied first.
                if hosts[number].applied < log.count { return }
                hosts[number].appending = (log.count, time)
            case .request(let isLate):
                send(.request(hosts[number].rotation.host, isLate: isLate))
            case .wait: return
            case .pass(let next): pass(number, to: next)
            }
        }
        if case .pass(let next) = hosts[number].rotation.next(at: now) {
            hosts[number].passingTo = next
        }
    }

    private mutating func send(_ message: HostMessage) {
        for number in hosts.indices
        where Int.random(in: 0..<100, using: &generator) >= lostPercent {
            hosts[number].inbox.append((time + Self.message, message))
        }
    }
}
