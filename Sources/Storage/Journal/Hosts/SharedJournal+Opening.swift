/// What a host does that does not take turns with the others yet.
extension SharedJournal {
    /// Takes the first slot of an empty log, unless another host is first.
    func begin(_ name: Bits128) throws(StorageError) {
        let cipher = try realm.cipher(name)
        let entry = SharedEntry(
            kind: .genesis, realm: name, slot: .first, epoch: 0, host: host, firstVersion: 0,
            lastVersion: 0, previousHash: .none)
        let bytes = entry.encoded(cipher)
        _ = try retrying { () throws(SharedLogError) in
            try realm.log.append(bytes, at: .first, behind: nil)
        }
    }

    /// Asks the other hosts to pass the turn to this one. The message may be lost.
    func askForTurn() {
        try? realm.log.send(HostMessage.ask(host, isLate: false).bytes)
    }
}

extension SharedJournal {
    /// How far reading goes.
    enum Reach {
        /// To the end of the log, as it is during the call.
        case end
        /// As far as one answer goes, unless that is likely to have left something out.
        case near
    }
}
