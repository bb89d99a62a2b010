#if S3
    import Testing

    @testable import Storage

    /// Names and contents of a log's objects.
    @Suite struct S3ObjectTests {
        @Test func realmsHaveNamesOfTheirOwn() throws {
            let realms = [
                "a", "a/entries", "a_2Fentries", "a%2Fentries", ".", "..", "~", "A", "\u{e4}",
            ]
            let prefixes = try realms.map { try S3Layout(realm: $0).prefix }
            #expect(Set(prefixes).count == realms.count)
            for prefix in prefixes {
                #expect(prefix.dropLast().allSatisfy { $0 != "/" && $0 != "." })
                #expect(S3Request.encoded(prefix, keeping: "/") == prefix)
            }
        }

        @Test(arguments: [
            "", "\0", String(repeating: "x", count: 513), String(repeating: "/", count: 301),
        ])
        func anUnsuitableNameIsRefused(_ realm: String) {
            #expect(throws: SharedLogError.self) { try S3Layout(realm: realm) }
        }

        @Test func namesAreInTheOrderOfSlots() throws {
            let layout = try S3Layout(realm: "realm")
            let slots = [0, 1, 9, 10, 15, 16, 4096].map { LogSlot($0) } + [.last]
            let names = slots.map { layout.entry($0) }
            #expect(names == names.sorted())
            #expect(names.map { layout.slot(of: $0, in: layout.entries) } == slots)
            for slot in slots {
                #expect(layout.name(before: slot) < layout.entry(slot))
            }
            #expect(layout.name(before: LogSlot(7)) == layout.entry(LogSlot(6)))
            // Polled names sort after the entries, and parts of images before them.
            #expect(layout.chunks < layout.entries && layout.entries < layout.messages)
            for name in ["xyz", S3Layout.digits(.max)] {
                #expect(layout.slot(of: layout.entries + name, in: layout.entries) == nil)
            }
        }

        @Test func basesAreReadAsTheyAreWritten() throws {
            var base = S3Base()
            base.entries = LogSlot(0x1234)
            base.images = .last
            #expect(try S3Base(base.encoded) == base)
            base.log = S3Layout.digits(7)
            #expect(try S3Base(base.encoded) == base)
            #expect(S3Base(log: "a").isOfLog("a") && !S3Base(log: "a").isOfLog("b"))
            #expect(!S3Base(log: "a").isOfLog("") && S3Base().isOfLog("b"))
            let text = String(decoding: S3Base().encoded, as: UTF8.self)
            let newer = text.replacing("format 1", with: "format 2")
            #expect(
                throws: SharedLogError.refused(
                    "The log of the realm has format 2, which is not known.")
            ) { try S3Base(Array(newer.utf8)) }
            let wrong = [
                "", "x", "RealmActors shared log", text.replacing("entries", with: "entry"),
                text.replacing("0001", with: "000x"), text.replacing("0001", with: "0000"),
                text + "more\n", text.replacing(S3Layout.digits(1), with: S3Layout.digits(.max)),
            ]
            for text in wrong {
                #expect(throws: SharedLogError.self, "\(text)") {
                    try S3Base(Array(text.utf8))
                }
            }
        }

        @Test func manifestsAreReadAsTheyAreWritten() {
            let image = SharedLogImage(slot: LogSlot(9), parts: 3, bytes: 4000)
            let manifest = S3Manifest(image, attempt: S3Layout.digits(7))
            #expect(S3Manifest(manifest.encoded, slot: LogSlot(9)) == manifest)
            let attempt = S3Layout.digits(7)
            let wrong = [
                "", "RealmActors image", "RealmActors image ../../x 1 1",
                "RealmActors image \(attempt) 0 1", "RealmActors image \(attempt) 1 x",
                "RealmActors other \(attempt) 1 1",
            ]
            for text in wrong {
                #expect(S3Manifest(Array(text.utf8), slot: .first) == nil, "\(text)")
            }
        }

        @Test func listsAreRead() throws {
            let text = """
                <?xml version="1.0" encoding="UTF-8"?>
                <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name>
                <Contents><Key>r/entries/1</Key><ETag>&quot;x&quot;</ETag><Size>12</Size></Contents>
                <Contents><Key>r/entries/2</Key><Size>0</Size><Owner><ID>x</ID></Owner></Contents>
                <IsTruncated>true</IsTruncated></ListBucketResult>
                """
            let listing = try #require(S3Listing(Array(text.utf8)))
            #expect(listing.objects.map(\.key) == ["r/entries/1", "r/entries/2"])
            #expect(listing.objects.map(\.size) == [12, 0])
            #expect(listing.isTruncated)
            let none = "<ListBucketResult></ListBucketResult>"
            let empty = try #require(S3Listing(Array(none.utf8)))
            #expect(empty.objects.isEmpty && !empty.isTruncated)
            #expect(listing.isInOrder(after: "r/entries/") && !listing.isInOrder(after: "r/f"))
            let page = none.replacing(
                "></", with: "><NextContinuationToken>a+/=</NextContinuationToken></")
            #expect(S3Listing(Array(page.utf8))?.nextPage == "a+/=")
            #expect(
                S3Bucket.listing("r/", after: "r/x", atMost: 9, page: "a+/=").query
                    == "continuation-token=a%2B%2F%3D&list-type=2&max-keys=9&prefix=r%2F"
                    + "&start-after=r%2Fx")
            // Otherwise it would look like the last page.
            let part = text.replacing("</ListBucketResult>", with: "")
            #expect(S3Listing(Array(part.utf8)) == nil)
            #expect(S3Listing(Array("<html>Welcome</html>".utf8)) == nil)
        }

        @Test func onlyTheCodeOfAnErrorIsReported() {
            func error(_ status: Int, _ body: String) -> SharedLogError {
                S3Response(status: status, body: Array(body.utf8)).error
            }
            let text =
                "<Error><Code>SignatureDoesNotMatch</Code><Key>AKIA</Key></Error>"
            #expect(
                error(403, text)
                    == .refused("The storage responded with SignatureDoesNotMatch."))
            #expect(error(403, "<Code>no word: AKIA</Code>").description.contains("HTTP 403"))
            // The clock is set, and keys are replaced.
            for code in ["RequestTimeTooSkewed", "ExpiredToken"] {
                let reason = "The storage responded with \(code)"
                #expect(error(403, "<Code>\(code)</Code>") == .unavailable(reason))
            }
            #expect(error(503, "") == .unavailable("The storage responded with HTTP 503"))
            for code in [
                "RequestTimeout", "ThrottlingException", "KMS.ThrottlingException",
                "IncompleteBody", "BadDigest",
            ] {
                let reason = "The storage responded with \(code)"
                #expect(error(400, "<Code>\(code)</Code>") == .unavailable(reason))
            }
            #expect(error(408, "").isTransient)
            #expect(!error(501, "<Code>NotImplemented</Code>").isTransient)
            #expect(!error(307, "<Code>TemporaryRedirect</Code>").isTransient)
        }
    }

    extension SharedLogError {
        fileprivate var description: String { "\(self)" }
    }
#endif
