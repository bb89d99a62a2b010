import ArgumentParser
import Hummingbird
import Logging
import RealmActors

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Inspect a store in a web browser on this machine.",
        discussion: """
            It serves a page on the loopback interface, at an address with a random token that is \
            valid until the command ends. The page shows commits of all processes as they happen. \
            Ctrl-C ends the command.
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "The port to listen on; 0 for any free port.") var port = 0

    @Option(
        help: "The interval of heartbeats to a connected page, in seconds.")
    var heartbeat = 15.0

    @Flag(help: "Allow the page to change and delete objects.") var write = false

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
