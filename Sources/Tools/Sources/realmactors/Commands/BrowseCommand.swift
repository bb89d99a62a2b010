import ArgumentParser
import Hummingbird
import Logging
import RealmActors

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Look at a store in a web browser, on this machine.",
        discussion: """
            It serves a page on the loopback interface, at an address with a random token that is \
            valid until the command ends, and shows changes as they happen, those of other \
            processes too. Ctrl-C ends it.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "The port to listen on; 0 for any that is free.") var port = 0

    @Option(
        help: "Seconds after which a page that follows gets a heartbeat.")
    var heartbeat = 15.0

    @Flag(help: "Let the page change and delete objects.") var write = false

    func validate() throws {
        guard (0...65535).contains(port) else {
            throw ValidationError("--port is from 0 to 65535.")
        }
        guard (0.01...3600).contains(heartbeat) else {
            throw ValidationError("--heartbeat is from 0.01 to 3600 seconds.")
        }
    }

    func run() async throws {
        try await options.withRealm(writing: write) { realm in
            let token = String(UInt128.random(in: 0 ... .max), radix: 36)
            let server = BrowseServer(
                realm: realm, store: options.store, token: token, isWritable: write,
                heartbeat: .seconds(heartbeat))
            var logger = Logger(label: "browse")
            logger.logLevel = .error
            let application = Application(
                router: server.router(),
                configuration: .init(address: .hostname("127.0.0.1", port: port)),
                onServerRunning: { channel in
                    let port = channel.localAddress?.port ?? 0
                    Terminal.say("http://127.0.0.1:\(port)/\(token)/")
                },
                logger: logger)
            try await application.runService()
        }
    }
}
