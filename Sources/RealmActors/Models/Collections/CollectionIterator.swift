import Storage

/// Iterates over the elements that a collection had when it began, while the collection may change.
///
/// It skips objects that are deleted meanwhile.
public struct CollectionIterator<Element>: IteratorProtocol {
    private enum Source {
        case memory(IndexingIterator<[Element]>)
        case walk(LiveWalk)
        case values([StoredValue], Owner, (StorableValue, ElementPlace) -> Element)
        case view(SequenceView, Owner, (StorableValue, ElementPlace) -> Element)
    }

    private typealias Owner = (owner: ObjectBase, column: Int)

    private var source: Source
    private var position = 0

    private init(_ source: Source) { self.source = source }

    init(_ elements: [Element]) { self.init(.memory(elements.makeIterator())) }

    init(walk: LiveWalk) { self.init(.walk(walk)) }

    private func place(_ owner: Owner) -> ElementPlace {
        ElementPlace(owner.owner, owner.column, position: position)
    }

    /// The next element.
    public mutating func next() -> Element? {
        switch source {
        case .memory(var iterator):
            source = .memory([].makeIterator())
            defer { source = .memory(iterator) }
            return iterator.next()
        case .walk(var walk):
            // Taken out during the call, so that its accessor is uniquely referenced.
            source = .memory([].makeIterator())
            defer { source = .walk(walk) }
            // Unsafe: the walk's model is that of `Element`, which is a class then.
            return walk.next().map { unsafeBitCast($0, to: Element.self) }
        case .values(let values, let owner, let make):
            guard position < values.count else { return nil }
            defer { position += 1 }
            return make(StorableValue(values[position]), place(owner))
        case .view(let view, let owner, let make):
            guard position < view.count else { return nil }
            defer { position += 1 }
            return make(StorableValue(view[position]), place(owner))
        }
    }
}

extension CollectionIterator where Element: CollectionElement {
    /// Iterates over a list.
    init(_ place: CollectionPlace<[Element]>) {
        if let box = place.unmanaged {
            self.init(box.contents)
        } else {
            self.init(managed: place)
        }
    }

    /// Iterates over a managed list or set.
    init<Contents>(managed place: CollectionPlace<Contents>) {
        self.init(Self.source(place))
    }

    private static func source<Contents>(_ place: CollectionPlace<Contents>) -> Source {
        guard let row = place.row else { return .memory([].makeIterator()) }
        let view = row.owner._sequence(row.column)
        guard let context = row.owner._live else {
            // A frozen owner does not move, and retains the nodes that the view borrows.
            return .view(view, row) { Element._element($0, at: $1) }
        }
        // For a deleted owner all elements are delivered, which are invalidated as well.
        guard let target = Element.self as? ObjectBase.Type,
            let model = context.models.binding(for: target),
            row.owner.__state == AccessorState.live, !context.isInvalidated
        else {
            var values: [StoredValue] = []
            values.reserveCapacity(view.count)
            view.forEach { values.append($0) }
            return .values(values, row) { Element._element($0, at: $1) }
        }
        var keys: [RowKey] = []
        keys.reserveCapacity(view.count)
        view.forEachLink { keys.append($0) }
        return .walk(LiveWalk(keys: keys, of: model, in: context))
    }
}

@available(*, unavailable)
extension CollectionIterator: Sendable {}
