/// The latest checkpoint of a damaged store: every row that its page files still have.
///
/// Nodes are verified when they are read. Below one that does not verify, everything is lost; the
/// rest of the tree does not depend on it.
struct PageSalvage: SalvageSource {
    let log: SalvagedLog

    func read(into replay: SalvageReplay, _ monitor: ReadingMonitor) throws {
        let store = log.store
        var options = PageOptions()
        options.readsDamagedHeaders = true
        for record in log.checkpoints {
            try monitor.check()
            let account = NodeAccount()
            let pages = PageStore(
                fileSystem: store.fileSystem, directory: store.pagesPath,
                database: log.reader.database, cipher: store.cipher, options: options)
            account.pages = pages
            guard let root = try open(record, pages, account) else {
                // Tries an older checkpoint, with more of the log after it.
                replay.outcome.note(record.root, pages)
                continue
            }
            let reader = PageReader(
                pages: pages, account: account, replay: replay, visits: NodeVisits(pages))
            replay.begin(at: record, schema: root.schema)
            for index in root.schema.classes.indices {
                try monitor.check()
                try reader.copyClass(ClassID(index), of: root)
            }
            replay.tree.flushPending()
            _ = replay.tree.takeDelta()
            return
        }
    }

    /// The root of a checkpoint's tree; nil if it cannot be read.
    private func open(
        _ record: CheckpointRecord, _ pages: PageStore, _ account: NodeAccount
    ) throws(StorageError) -> SnapshotRoot? {
        func load(_ place: NodePlace) throws(StorageError) -> Node? {
            try StoreSalvage.attempt { () throws(StorageError) in
                try pages.load(place, account: .passUnretained(account))
            }
        }
        guard let blob = try load(record.contents) else { return nil }
        defer { blob.release() }
        guard let contents = try? CheckpointContents(Blob.bytes(of: blob)),
            let node = try load(record.root)
        else { return nil }
        let root = SnapshotRoot(
            root: node, version: record.version, schema: contents.schema, account: account)
        return node.count == contents.schema.classes.count ? root : nil
    }
}

extension SalvageOutcome {
    /// Records that the node at `place` could not be read.
    mutating func note(_ place: NodePlace, _ pages: PageStore) {
        let start = place.address.offset
        lostRanges.append(
            LostRange(
                file: pages.path(place.address.segment),
                bytes: start..<start + Int(place.length)))
    }
}

/// Copies rows from the tree of a checkpoint, as far as its nodes can be read.
private struct PageReader {
    let pages: PageStore
    let account: NodeAccount
    let replay: SalvageReplay
    let visits: NodeVisits

    /// The child of `slot`; nil if there is none, or if it cannot be read, which is recorded.
    private func child(
        _ slot: Slot, _ demand: NodeDemand
    ) throws(StorageError) -> (node: Node?, isLost: Bool) {
        let place = slot.resident == nil ? slot.storedPlace : nil
        let node = slot.node(demand)
        guard try takeFailure() != nil else { return (node, false) }
        if let place { replay.outcome.note(place, pages) }
        return (nil, true)
    }

    /// The failure of the last reads, which is cleared. Throws it if it was a lack of descriptors.
    private func takeFailure() throws(StorageError) -> StorageError? {
        guard let failure = account.failure else { return nil }
        account.clearFailure()
        if failure.lacksDescriptors { throw failure }
        return failure
    }

    func copyClass(_ id: ClassID, of root: SnapshotRoot) throws(StorageError) {
        let slot = root.root.slot(StoreRoot.slotsOffset, id.rawValue)
        guard let node = try child(slot, .classRoot(root.schema[id].columns.count)).node else {
            return
        }
        let classRoot = ClassRoot(node: node)
        try copy(below: classRoot.tree, classRoot.treeDemand, id)
        try copy(below: classRoot.newest, classRoot.newestDemand, id)
        replay.reserveKeys(below: classRoot.nextKey, of: id)
    }

    /// Copies the clusters at and below `slot`.
    private func copy(
        below slot: Slot, _ demand: NodeDemand, _ id: ClassID
    ) throws(StorageError) {
        guard let node = try child(slot, demand).node else { return }
        if node.kind == .cluster { return try copy(Cluster(node: node), id) }
        guard node.kind == .clusterBranch else { return }
        let branch = ClusterBranch(node: node)
        for index in 0..<node.count {
            try copy(below: branch.slot(index), branch.demand(index), id)
        }
    }

    private func copy(_ cluster: Cluster, _ id: ClassID) throws(StorageError) {
        let schema = replay.tree.schema[id]
        guard cluster.columnCount <= schema.columns.count,
            try !child(cluster.offsetsSlot, .offsets(cluster.slotCount)).isLost
        else { return }
        for column in 0..<cluster.columnCount {
            let demand = NodeDemand.chunk(
                schema.columns[column].chunkShape, count: cluster.slotCount)
            let isLost = try child(cluster.cell(column), demand).isLost
            // Without its primary key an object could not be identified.
            if isLost, schema.primaryKey?.rawValue == column {
                replay.outcome.droppedRows += cluster.liveCount
                return
            }
            // A column with damaged fields is not read either.
            let isSound = isLost || cluster.canRead(column, schema.columns[column], visits)
            _ = try takeFailure()
            if !isSound {
                replay.outcome.droppedRows += cluster.liveCount
                return
            }
        }
        for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
            try copy(RowLocation(cluster: cluster, slot: slot), id, schema)
        }
        _ = try takeFailure()
    }

    private func copy(
        _ row: RowLocation, _ id: ClassID, _ schema: ClassSchema
    ) throws(StorageError) {
        let tree = replay.tree
        let key = row.cluster.key(row.slot)
        guard key.rawValue >= tree.nextKey(id), key.rawValue < NodeBounds.keyMax else { return }
        tree.create(tree.states[id.rawValue], key)
        for (index, column) in schema.columns.enumerated() {
            let columnID = ColumnID(index)
            switch column.container {
            case .none:
                tree.set(row.cluster.value(index, row.slot, column), id, key, columnID)
            case .list, .set:
                var values: [StoredValue] = []
                row.cluster.sequence(index, row.slot, column).forEach { values.append($0) }
                copy(values, to: columnID, column, id, key)
            case .map:
                let map = row.cluster.map(index, row.slot, column)
                let count = min(map.keys.count, map.values.count)
                for entry in 0..<count {
                    tree.mapSet(
                        map.values[entry], forKey: map.keys.string(entry), id, key, columnID)
                }
            }
            // A text or elements of a list that could not be read are empty.
            try noteFailure()
        }
    }

    private func copy(
        _ values: [StoredValue], to column: ColumnID, _ schema: ColumnSchema, _ id: ClassID,
        _ key: RowKey
    ) {
        if values.isEmpty { return }
        if schema.container == .list {
            return replay.tree.listAppend(contentsOf: values, id, key, column)
        }
        for value in values { _ = replay.tree.setInsert(value, id, key, column) }
    }

    private func noteFailure() throws(StorageError) {
        guard let failure = try takeFailure() else { return }
        let lost: SalvageOutcome.LostRange
        switch failure {
        case .corrupted(let file, let offset, _):
            lost = SalvageOutcome.LostRange(file: file, bytes: offset..<offset + Node.headerSize)
        // The size of the lost part is unknown.
        case .io(_, let path, _): lost = SalvageOutcome.LostRange(whole: path)
        default: lost = SalvageOutcome.LostRange(whole: pages.directory)
        }
        if replay.outcome.lostRanges.last != lost { replay.outcome.lostRanges.append(lost) }
    }
}
