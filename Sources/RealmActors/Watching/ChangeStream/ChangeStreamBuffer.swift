import Storage

/// What has come for the consumer of a change stream, and when it is to be woken.
struct ChangeStreamBuffer<Moment: Sendable, Waiter> {
    /// What came between two moments of a stream, the second part of it not to be reported.
    struct Step: Sendable {
        struct Part: Sendable {
            var marks: PendingMarks
            var moment: Moment
        }

        var told: Part?
        var silenced: Part?

        /// Adds a commit that is not reported. Returns the moment that `after` replaces.
        mutating func silence(
            _ changes: ChangeSet, after: Moment, watched: Set<ClassID>
        ) -> Moment? {
            var part = silenced ?? Part(marks: PendingMarks(), moment: after)
            let replaced = silenced?.moment
            _ = part.marks.note(changes, watched: watched)
            part.moment = after
            silenced = part
            return replaced
        }
    }

    /// What the next element is made of.
    enum Next {
        /// What came up to the newest moment.
        case marks(PendingMarks)
        case step(Step)
        case nothing
    }

    var machine: ChangeStreamStateMachine<Waiter>
    /// What the consumer has not asked for.
    var backlog: StreamBacklog { StreamBacklog(due: machine.due, taken: taken) }
    private let hearsEveryVersion: Bool
    private let watched: Set<ClassID>
    /// What came behind the last step.
    private var marks = PendingMarks()
    private var steps = StepQueue<Step>()
    /// What the first element is, while that is yet to be made.
    private var beginning = StreamBeginning.nothing
    /// Whether the consumer has left, and with it what it was to receive.
    private var isGivenUp = false
    /// How often the consumer took something.
    private var taken = 0

    init(_ buffering: ChangeBuffering, watched: Set<ClassID>) {
        machine = ChangeStreamStateMachine(isDue: false, buffering: buffering)
        hearsEveryVersion = buffering != .latest
        self.watched = watched
    }

    /// The subscription began at `moment`. Commits may have come since, which are part of a state
    /// that it begins with, and come behind a change. What it returns is to be given up without a
    /// lock.
    mutating func begin(at moment: Moment, with beginning: StreamBeginning) -> StepQueue<Step> {
        var replaced = StepQueue<Step>()
        if beginning == .nothing { return replaced }
        machine.begin()
        if hearsEveryVersion || beginning == .change && !steps.isEmpty {
            steps.prepend(Step(told: .init(marks: PendingMarks(), moment: moment)))
        } else {
            self.beginning = beginning
            swap(&steps, &replaced)
        }
        return replaced
    }

    /// A commit that is delivered together with what comes next.
    mutating func note(_ changes: ChangeSet) -> ChangeStreamStateMachine<Waiter>.CommitAction {
        guard marks.note(changes, watched: watched) else { return .ignore }
        return hearsEveryVersion ? .keep : machine.committed()
    }

    /// A commit that led to `moment`, of a stream that reports every version. Without `changes`,
    /// the moment is that of what was noted before.
    mutating func append(
        _ changes: ChangeSet?, at moment: Moment
    ) -> ChangeStreamStateMachine<Waiter>.CommitAction {
        if let changes { _ = marks.note(changes, watched: watched) }
        let told = takeMarks()
        if told.isEmpty { return .ignore }
        let action = machine.committed()
        switch action {
        case .keep, .wake: steps.append(Step(told: .init(marks: told, moment: moment)))
        case .overflow, .ignore: break
        }
        return action
    }

    /// A commit that is not reported. Also returns what it replaces, which is to be given up
    /// without a lock.
    mutating func silence(
        _ changes: ChangeSet, before: Moment, after: Moment
    ) -> (ChangeStreamStateMachine<Waiter>.CommitAction, replaced: Moment?) {
        guard !isGivenUp, beginning != .state,
            changes.classes.keys.contains(where: watched.contains)
        else { return (.ignore, nil) }
        let isOwed = beginning == .change || !marks.isEmpty
        let isDue = !steps.isEmpty && !isOwed
        if isOwed {
            beginning = .nothing
            steps.append(Step(told: .init(marks: takeMarks(), moment: before)))
        } else if steps.isEmpty {
            steps.append(Step())
        }
        let watched = watched
        let replaced = steps.updateLast {
            $0.silence(changes, after: after, watched: watched)
        }
        // Of every version it is taken together with what is due before it. Else the stream is due
        // for it, so that the version is not kept for long.
        if hearsEveryVersion, isDue { return (.keep, replaced ?? nil) }
        return (machine.committed(counts: false), replaced ?? nil)
    }

    /// Takes what the next element is made of; the stream stays due for what comes after it.
    ///
    /// `isOpen` says whether the store is open. Where it is and the stream has ended, it was opened
    /// anew, perhaps with commits that the stream does not know of.
    mutating func take(isOpen: Bool = true) -> Next {
        // It may leave after it was woken: what came since would be delivered without what came
        // before.
        if isGivenUp { return .nothing }
        if isOpen, machine.isOver, !hearsEveryVersion { return .nothing }
        taken += 1
        let step = steps.popFirst()
        if hearsEveryVersion { return step.map { .step($0) } ?? .nothing }
        beginning = .nothing
        machine.taken()
        guard let step else { return .marks(takeMarks()) }
        if !steps.isEmpty || !marks.isEmpty { _ = machine.committed() }
        return .step(step)
    }

    /// Forgets everything, for a consumer that has left; what it returns is to be given up without
    /// a lock.
    mutating func giveUp() -> StepQueue<Step> {
        isGivenUp = true
        marks = PendingMarks()
        defer { steps = StepQueue() }
        return steps
    }

    private mutating func takeMarks() -> PendingMarks {
        defer { marks = PendingMarks() }
        return marks
    }
}
