#if PostgreSQL
    /// Connections on which the server has proved that it is the primary.
    extension PostgresSharedLog {
        /// A connection on which the server has proved that it keeps what can be read there, unless
        /// the log is only inspected.
        func connect() throws(SharedLogError) -> PostgresConnection {
            if isClosed { throw .closed }
            let connection = try pool.reach { () throws(SharedLogError) in
                try pool.connections.connectToServerOfCalls(endingWith: end, isForCalls: true)
            }
            return try prove(connection, makesLog: mayMakeLog)
        }

        /// The same connection, once the server has proved it if that is required.
        func prove(
            _ connection: PostgresConnection, makesLog: Bool
        ) throws(SharedLogError) -> PostgresConnection {
            let wasThere = try proving(connection) { () throws(SharedLogError) -> Bool in
                let isThere = try prepareTables(connection, makesLog: makesLog)
                if durability != nil { _ = try provenHead(connection) }
                return isThere
            }
            if durability == nil { return connection }
            PostgresPreference.note(connection.server, of: address)
            // With standbys, calls may use another server: one without the log is not the primary
            // of those that have it.
            if wasThere || durability == .singleServer { pool.follow(connection) }
            return connection
        }

        /// Whether the server of the listener's connection proves that it is still the primary: a
        /// former one that was cut off from its standbys may answer, and has no news. Without
        /// standbys there is nothing to prove. Notifications wait meanwhile: on a connection that
        /// has proved it before, it takes one round trip.
        func prove(listening connection: PostgresConnection) throws(SharedLogError) -> Bool {
            guard durability == .quorum else { return true }
            let isProven = try proving(connection) { () throws(SharedLogError) -> Bool in
                // Without a row, nothing was written.
                try PostgresDurability.barrier(connection, realm, durability).rows == 1
            }
            guard isProven else { return false }
            PostgresPreference.note(connection.server, of: address)
            pool.follow(connection)
            return true
        }

        /// Prepares a connection for the proof that `body` makes.
        private func proving(
            _ connection: PostgresConnection, _ body: () throws(SharedLogError) -> Bool
        ) throws(SharedLogError) -> Bool {
            watch(connection)
            do throws(SharedLogError) {
                try PostgresDurability.secure(connection, durability)
                try PostgresDurability.identify(connection)
                let answer = try body()
                // The thread may have been suspended: another server has proved it since.
                if connection.isSuperseded {
                    throw .unavailable(PostgresConnection.supersession)
                }
                return answer
            } catch {
                // A log that was closed meanwhile says nothing about the server.
                if !connection.wasCutOff { pool.avoid(connection) }
                throw error
            }
        }

        // MARK: Failover

        /// Looks for another primary whenever a call on the connection waits for long. Only with
        /// standbys, without which a server cannot prove that it was not replaced.
        func watch(_ connection: PostgresConnection) {
            guard durability == .quorum, connection.server != nil else { return }
            connection.whenLate = { [weak self] in self?.lookForAnotherPrimary(than: $0) }
        }

        private func lookForAnotherPrimary(than late: PostgresConnection) {
            let (server, instance) = (late.server, late.instance)
            pool.lookForAnotherPrimary { [self] () throws(SharedLogError) in
                let others = PostgresPreference.order(of: address).filter { $0 != server }
                // A server without the log is not the primary of this one.
                let found = try prove(
                    pool.connections.connect(endingWith: end, trying: others), makesLog: false)
                // The list may lead to one server in several ways, as through two proxies, of which
                // one may be dead.
                if found.instance == instance, canReach(server) {
                    throw .unavailable("The server is the same.")
                }
                return found
            }
        }

        /// Whether one of the servers accepts connections, in as much time as the one that was
        /// found: a server under load may take long.
        private func canReach(_ server: Int?) -> Bool {
            let made = try? PostgresConnection(
                address, timeout: timeout, end: end, trying: [server])
            // An attempt that the end of the log cuts short proves nothing.
            return made != nil || isClosed || end.limitsAttempts
        }

        // MARK: Tables

        /// Creates what is missing, unless `makesLog` is false: then it is refused. Whether the
        /// realm has its row already.
        func prepareTables(
            _ connection: PostgresConnection, makesLog: Bool
        ) throws(SharedLogError) -> Bool {
            if try connection.read(PostgresSchema.exists).rows == 0 {
                guard makesLog else { throw missing("The database has no logs of realms.") }
                try makeTables(connection)
            }
            var found = try connection.read(PostgresSchema.formatOfRealm, [realm])
            let wasThere = found.rows > 0
            if !wasThere {
                guard makesLog else {
                    throw missing("The database has no log of a realm with this name.")
                }
                _ = try connection.read(PostgresSchema.addRealm, [realm])
                found = try connection.read(PostgresSchema.formatOfRealm, [realm])
            }
            let format = found.rows == 0 ? 0 : found.integer(0, 0)
            guard format == PostgresSchema.format else {
                throw .refused("The log of the realm has format \(format), which is not known.")
            }
            return wasThere
        }

        /// The error of a server without the log. Once it is open, another one of the list has it.
        private func missing(_ reason: String) -> SharedLogError {
            isOpen ? .unavailable(reason) : .refused(reason)
        }

        private func makeTables(_ connection: PostgresConnection) throws(SharedLogError) {
            do throws(SharedLogError) {
                try connection.readScript(PostgresSchema.lock)
                if try connection.read(PostgresSchema.exists).rows == 0 {
                    try connection.readScript(PostgresSchema.statements)
                }
                try connection.readScript("COMMIT")
            } catch {
                // Other calls get the connection.
                if !connection.isBroken { try? connection.readScript("ROLLBACK") }
                throw error
            }
        }
    }
#endif
