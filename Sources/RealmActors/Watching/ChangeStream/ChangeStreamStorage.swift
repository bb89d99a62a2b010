import Storage
import Synchronization

/// One subscription: notes commits, wakes its consumer, and lets the producer make the elements on
/// the consumer's task but off its actor.
final class ChangeStreamStorage<Producer: ChangeProducer>: MomentSubscriber {
    private typealias Waiter = CheckedContinuation<ChangeStreamSignal, Never>
    private typealias Buffer = ChangeStreamBuffer<Producer.Moment, Waiter>

    let interest: CommitInterest
    let receivesEveryVersion: Bool
    let token: ChangeStreamToken
    private let hub: CommitHub<Producer.Moment>
    private let buffer: Mutex<Buffer>
    /// Locked while an element is made; never contended, because an iterator has one consumer.
    private let producer: Mutex<Producer>

    /// Makes the subscription; it starts with ``start()``.
    init(
        hub: CommitHub<Producer.Moment>, producer: Producer, token: ChangeStreamToken,
        buffering: ChangeBuffering
    ) {
        self.hub = hub
        self.token = token
        let watched = producer.watched
        interest = producer.interest
        receivesEveryVersion = buffering != .latest
        buffer = Mutex(Buffer(buffering, watched: watched, row: interest.row, sharing: hub.folds))
        self.producer = Mutex(producer)
    }

    /// Subscribes: from here on no commit is missed.
    func start() {
        guard let moment = hub.subscribe(self) else {
            return ended(producer.withLock { $0.failure })
        }
        let beginning = producer.withLock { $0.begin(at: moment) }
        // No consumer can wait yet: the iterator is handed out after this.
        let replaced = buffer.withLock { $0.begin(at: moment, with: beginning) }
        withExtendedLifetime(replaced) {}
    }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        waking(buffer.withLock { $0.note(changes) })
    }

    func committed(_ changes: ChangeSet?, at moment: Producer.Moment) -> CommitWaking? {
        waking(buffer.withLock { $0.append(changes, at: moment) })
    }

    func silenced(
        _ changes: ChangeSet, before: Producer.Moment, after: Producer.Moment
    ) -> CommitWaking? {
        let (action, replaced) = buffer.withLock {
            $0.silence(changes, before: before, after: after)
        }
        let wake = waking(action)
        guard let replaced else { return wake }
        return {
            wake?()
            // Released outside of the lock.
            withExtendedLifetime(replaced) {}
        }
    }

    var backlog: StreamBacklog? { buffer.withLock { $0.backlog } }

    private func waking(_ action: ChangeStreamStateMachine<Waiter>.CommitAction) -> CommitWaking? {
        switch action {
        case .keep, .ignore: return nil
        case .wake(let waiter): return { waiter.resume(returning: .due) }
        case .overflow: return { [self] in hub.unsubscribe(self) }
        }
    }

    func ended(_ error: RealmError?) {
        let action = buffer.withLock { $0.machine.ended(error) }
        action?.waiter.resume(returning: action?.signal ?? .finished)
    }

    /// Ends the subscription at once; a consumer that waits gets the end of the stream.
    func finish() {
        let (action, steps) = buffer.withLock { ($0.machine.finish(), $0.abandon()) }
        defer { withExtendedLifetime(steps) {} }
        if action.unsubscribe { hub.unsubscribe(self) }
        action.waiter?.resume(returning: .finished)
    }

    /// The next element; nil at the end. Runs off the caller's actor, so that comparing large
    /// collections never blocks the main actor.
    @concurrent
    func next() async throws(RealmError) -> Producer.Element? {
        while true {
            switch await signal() {
            case .due: break
            case .finished: return nil
            case .failed(let error):
                finish()
                throw error
            }
            switch try produce() {
            case .nothing: continue
            case .element(let element): return element
            case .last(let element):
                finish()
                return element
            case .finished:
                finish()
                return nil
            }
        }
    }

    private func signal() async -> ChangeStreamSignal {
        await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let action = buffer.withLock { $0.machine.next(continuation) }
                if case .proceed(let signal) = action { continuation.resume(returning: signal) }
            }
        } onCancel: {
            finish()
        }
    }

    private func produce() throws(RealmError) -> ProducerResult<Producer.Element> {
        if receivesEveryVersion { return try produce(buffer.withLock { $0.take() }, nil) }
        // Nil when the last handle was released and the store has not reported its end yet.
        let captured = hub.capture { isOpen in buffer.withLock { $0.take(isOpen: isOpen) } }
        guard let (moment, next) = captured else { return .finished }
        return try produce(next, moment)
    }

    private func produce(
        _ next: Buffer.Next, _ newest: Producer.Moment?
    ) throws(RealmError) -> ProducerResult<Producer.Element> {
        switch next {
        case .nothing:
            return .nothing
        case .marks(let marks):
            guard let newest else { return .nothing }
            return try produce(.init(marks: marks, moment: newest))
        case .step(let step):
            let reported = try step.reported.map { part throws(RealmError) in try produce(part) }
            switch reported {
            case .last, .finished: return reported ?? .nothing
            case .nothing, .element, nil: break
            }
            // Produced and discarded, so that the next element is compared with the state after the
            // silenced commits.
            let silenced = try step.silenced.map { part throws(RealmError) in try produce(part) }
            switch silenced {
            case .nothing, .element, nil: return reported ?? .nothing
            // The silenced commits deleted what is watched: the stream ends without an element.
            case .last, .finished:
                if case .element(let element)? = reported { return .last(element) }
                return .finished
            }
        }
    }

    private func produce(
        _ part: Buffer.Step.Part
    ) throws(RealmError) -> ProducerResult<Producer.Element> {
        let merged = part.marks.merged()
        let result: Result<ProducerResult<Producer.Element>, RealmError> = producer.withLock {
            producer in
            do throws(RealmError) {
                let production = try producer.produce(merged, at: part.moment)
                // Contents that could not be read would be reported as deleted.
                try (part.moment as? Snapshot)?.context.requireReadable()
                return .success(production)
            } catch {
                return .failure(error)
            }
        }
        do {
            return try result.get()
        } catch {
            finish()
            throw error
        }
    }
}
