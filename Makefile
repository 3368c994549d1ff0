# Targets for contributors.
MODULES = $(shell go list -m -f "{{.Dir}}")
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*##.*/\1/p' Makefile)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 15

build: ## build all programs into bin/
	go build -o bin/ work
fmt: ## format all Go files
	gofmt -w pkg services deploy
gen: ## generate the Go code of proto/, the assembly, the permissions in deploy/, and the web app
	path="$$(.ci/tools buf protoc-gen-go)"; cd proto && PATH="$$path:$$PATH" && buf lint && buf generate
	cd pkg/extract/wordstats/simd && go run ./generate
	cd pkg/extract/photo/tensor && go run ./generate
	cd pkg/extract/pixels/jpegfile && go run ./generate
	go test ./services/assay/permissions -run FilesAreGenerated -update
	.ci/app services/query/ui/dist
app: ## type-check and build the web app
	.ci/app services/query/ui/dist
test-app: ## test the web app in Chromium, with axe in every mode, 10,000 rows and time limits, and store screenshots in SHOTS=bin/screenshots
	go test ./services/assay/test/e2e/app -count=1 -v -timeout 20m -app.screenshots=$(abspath $(or $(SHOTS),bin/screenshots)) -app.modes -app.rows=10000 -app.size=100 -app.timed
lighthouse: ## audit the main pages of the web app with Lighthouse on its mobile profile: RUNS=3 of each page, the median counts
	.ci/lighthouse $(or $(RUNS),3)
readme: ## follow README.md line by line in an empty home, from the installer to a build of this repository without compiled packages
	go test ./services/assay/test/e2e/tutorial -run Readme -count=1 -v -timeout 20m -tutorial.source
wasm: ## fetch the pinned WebAssembly programs, models and fonts from npm
	cd pkg/extract/wasm && go run ./fetch
tidy: ## tidy every module, and go.work.sum
	for module in $(MODULES); do (cd $$module && go mod tidy) || exit 1; done
	cd services/analyzer/photojob/provider/contract && GOWORK=off go mod tidy
	cd deploy/helm && GOWORK=off go mod tidy
	sums="$$(.ci/worksum)" && printf '%s\n' "$$sums" >go.work.sum

check: ## install what the tests require, and run the tests with the race detector, except those of long suites
	@.ci/check
test: ## run all tests without the race detector; those of the web app only if Chromium is installed
	go test work
lint: ## run golangci-lint, including go vet
	@export PATH="$$(.ci/tools golangci-lint):$$PATH" && golangci-lint run --allow-parallel-runners $(MODULES:=/...) && \
		(cd services/query && golangci-lint run --allow-parallel-runners --build-tags noclients ./feed/dax ./search/postgres) && \
		cd services/assay && golangci-lint run --allow-parallel-runners --build-tags noengines . && \
		cd test && golangci-lint run --allow-parallel-runners --build-tags stack ./e2e/stack
smoke: ## start `assay serve` and test it with the command line
	.ci/smoke
ci: ## the merge checks, which include check and lint
	.ci/run
nightly: ## the merge checks and the long suites
	.ci/run nightly

release: ## make the files of a release of the last commit: VERSION=v0.1.0 OUT=dist; ASSAY_RELEASE_KEY names the key that signs them, see docs/install.md
	go run ./deploy/release/cmd/release -version "$(VERSION)" -out "$(or $(OUT),dist)" $(RELEASE)
test-release: ## make a release for this platform twice, compare both, and follow the README in an empty root
	.ci/release
vulnerabilities: ## check the programs for known vulnerabilities; requires access to vuln.go.dev
	@export PATH="$$(.ci/tools govulncheck):$$PATH"; for service in ingest analyzer query assay; do \
		echo "$$service"; (cd services/$$service && GOWORK=off govulncheck ./...) || exit 1; done

bench: ## compare with rivals and print the ratios; BENCH contains flags, see docs/performance.md
	go run ./services/assay/test/bench $(BENCH)
bench-list: ## compare listing a page of 300,000 objects with listing a page of 10,000, in the embedded S3
	go test ./services/assay/embedded -run '^$$' -bench 'BenchmarkList$$' -benchtime 60x
bench-records: ## measure a file of 100,000 records from upload to export; BENCH contains flags, such as -samples FILE.sdf
	go run ./services/assay/test/bench/records $(BENCH)
bench-feed: ## measure reads of the feed with a million items in the tables; BENCH contains flags, such as -items 50000
	go run ./services/assay/test/bench/feed $(BENCH)
bench-capacity: ## measure a node and the CPU time of items, compare with the simulation, and write docs/capacity.md; CAPACITY contains flags, such as -rounds 3
	go test -tags capacity ./services/assay/test/simulation -run "TestNode|TestCosts|TestScale" -count=1 -v -timeout 60m -write $(abspath docs/capacity.md) $(CAPACITY)
bench-search: ## measure searches of 100,000 library nodes of 1,000 owners; BENCH contains flags, such as -nodes 10000 or -index postgres://assay@localhost/search
	go run ./services/assay/test/bench/search $(BENCH)

LEDGER = ASSAY_FAULT_RUNS=$(CURDIR)/docs/faults.jsonl
crash: ## crash the services, and the library's workflows, at every call, and at DOUBLES=1000 pairs of calls chosen by SEED=1
	go test ./services/assay/test/fault/crashpoint -count=1 -timeout 60m -v -crash.systems=12 -crash.share=1 -crash.doubles=$(or $(DOUBLES),1000) -crash.seed=$(or $(SEED),1)
	go test ./services/assay/test/fault/workflow -count=1 -timeout 60m -v -workflow.share=1
chaos: ## run services and engines under many concurrent faults: SEED=1 MINUTES=5
	go test ./services/assay/test/fault/chaos -count=1 -timeout 120m -v -chaos.seed=$(or $(SEED),1) -chaos.minutes=$(or $(MINUTES),5)
clock: ## test steps and differences of wall clocks; compiles everything first
	go run ./services/assay/test/fault/clock test -tags clockstep -run 'SteppedClock|ClocksOfServices' -count=1 -v ./pkg/bus/consume ./pkg/checkpoint ./services/assay/test/e2e/clock
overload: ## offer ten times the load that the analyzer can handle: MINUTES=1
	go test ./services/assay/test/e2e/overload -run OverloadKeepsThePromises -count=1 -timeout 120m -v -overload.minutes=$(or $(MINUTES),1) -overload.work=120
postgres: ## test the search index that processes share, with a PostgreSQL server that the tests start (apt-get install postgresql)
	go test -race ./services/query/search/postgres -count=1 -timeout 20m -v -postgres.required
paid: ## run photo jobs of paid providers with faults, kills and a change of provider: JOBS=1000
	go test ./services/assay/test/e2e/photos -run PaidLoad -count=1 -timeout 60m -v -paid.jobs $(or $(JOBS),1000) -fault.seed $(or $(SEED),13)
import: ## import FILES=10000 files with one command while the services are killed in turn
	go test ./services/assay/test/e2e/recovery -run OfAnImport -count=1 -timeout 3h -v -fault.files=$(or $(FILES),10000) -fault.seed=$(or $(SEED),13)
faults: ## run the fault tests and write docs/faults.md; UPLOADS=42000 for each of two runs with kills, ROUNDS=20, SEED=13, DOUBLES=1000, CHAOS_SEEDS="1 2 3 4" CHAOS_MINUTES=5 OVERLOAD_MINUTES=1
	rm -f docs/faults.jsonl
	$(LEDGER) go test ./services/assay/test/e2e/recovery -run 'KillLosesNothing|KilledServicesLoseNothing' \
		-count=1 -timeout 3h -parallel 1 -fault.uploads=$(or $(UPLOADS),42000) -fault.seed=$(or $(SEED),13)
	$(LEDGER) go test ./services/assay/test/e2e/recovery -run KilledFolderIsComplete -count=1 -timeout 90m -v -fault.rounds=$(or $(ROUNDS),20) -fault.seed=$(or $(SEED),13)
	$(LEDGER) $(MAKE) import
	$(LEDGER) $(MAKE) upgrade
	$(LEDGER) $(MAKE) crash
	for seed in $(or $(CHAOS_SEEDS),1 2 3 4); do $(LEDGER) $(MAKE) chaos SEED=$$seed MINUTES=$(or $(CHAOS_MINUTES),5) || exit 1; done
	$(LEDGER) $(MAKE) overload MINUTES=$(or $(OVERLOAD_MINUTES),1)
	go test ./services/assay/test/fault/ledger -run Page -update
backups: ## make COUNT=20 backups during load, with kills, and restore and audit each
	go test ./services/assay/test/e2e/backup -count=1 -timeout 90m -v -backup.count=$(or $(COUNT),20) -fault.seed=$(or $(SEED),13)
rounds: ## run more rounds of tests that the merge checks run briefly
	go test ./pkg/library -run ConcurrentMoves -count=1 -timeout 20m -races=2000
	go test ./services/assay/test/e2e/library -run Promises -count=1 -timeout 20m -library.moves=1000 -library.files=10000
	go test ./services/assay/test/e2e/recovery -run 'KillLosesNothing$$|KilledServicesLoseNothing$$' -count=1 -timeout 60m -fault.uploads=2000
	go test ./services/assay/test/e2e/recovery -run KilledFolderIsComplete -count=1 -timeout 90m -v -fault.rounds=20
	go test ./pkg/dynamolite -run DamagedPage -count=1 -timeout 30m -damage.all
	go test ./services/assay/test/e2e/feed -run ProjectorKilled -count=1 -timeout 20m -projected=4000
	ASSAY_REPLAY_ITEMS=30000 go test ./services/query/feed/projector -run TestReplayedDays -count=1 -timeout 20m
	go test $(addprefix ./services/assay/test/e2e/,outcomes live feed photos operation library) -run TestPromises -count=1 -timeout 20m -e2e.serve
	go test ./services/assay/test/e2e/uploads -run TestPromises -count=1 -timeout 20m -e2e.serve -uploads.burst=500
	go test ./services/assay/test/alerting -count=1 -timeout 40m -alerting.all -alerting.minutes=10
	go test ./services/assay/test/install -run Installable -count=1 -timeout 20m -install.all
regions: ## fail the region that writes under RATE=50 items a second for SECONDS=60, move to the other region and back, and print RPO and RTO
	go test ./services/assay/test/globaltable -count=10 -timeout 20m
	go test ./services/assay/test/e2e/regions -count=1 -timeout 30m -v -regions.rate=$(or $(RATE),50) -regions.before=$(or $(SECONDS),60)s -regions.slack=5s -regions.degraded=5s -regions.after=20s
	go test ./services/assay/test/e2e/regions -count=1 -timeout 30m -v -regions.textlag=300ms
upgrade: ## replace every process of the previous release, and of a next version, one by one and back, under 200 uploads a minute: REPLACED=600 uploads for each run
	go test ./services/assay/test/e2e/upgrade -count=1 -timeout 60m -v -parallel 1 -upgrade.versions -upgrade.uploads=$(or $(REPLACED),600) -fault.seed=$(or $(SEED),13)
uploads: ## test multipart uploads at full size: 1 GiB with ten interruptions, and 200 concurrent uploads while ingest is killed
	go test ./services/assay/test/e2e/uploads -run InterruptedUploadResumes -count=1 -timeout 30m -v -uploads.bytes=1073741824
	go test ./services/assay/test/e2e/recovery -run KilledIngest -count=1 -timeout 30m -v -parts.uploads=200
permissions: ## test all promises with only the permissions in deploy/, and check that every permission is used
	go test ./services/assay/test/e2e/permissions -run PermissionsAreNeeded -count=1 -timeout 20m -permissions.needed
newarea: ## add an area to a copy of the repository, and build and test it
	go test ./services/assay/test/e2e/newarea -count=1 -timeout 20m -v -newarea.works
mutations: ## parse damaged record files, COUNT=10000 per parser, process damaged documents, DOCUMENTS=1000 per format, and hostile files of SIZE=1000000 bytes of every format, chosen by SEED=34
	go test ./pkg/extract/molecule ./pkg/extract/crystal ./pkg/extract/spectrum ./pkg/extract/contact \
		./pkg/extract/sheet ./pkg/extract/microscopy ./pkg/extract/mhtml -run DamagedFiles -count=1 -v -mutations=$(or $(COUNT),10000)
	go test ./services/assay/test/e2e/documents -run MutatedDocuments -count=1 -timeout 90m -v -mutations=$(or $(DOCUMENTS),1000)
	go test ./services/analyzer/library/hostile -run HostileFiles -count=1 -timeout 60m -v -hostile.size=$(or $(SIZE),1000000) -hostile.seed=$(or $(SEED),34)
	go test ./pkg/extract/webpage -run 'Memory$$' -count=1 -timeout 30m -v -size=20000000
	go test ./services/assay/test/e2e/documents -run HostileDocuments -count=1 -timeout 60m -v -hostile.every=1 -hostile.size=$(or $(SIZE),1000000) -hostile.seed=$(or $(SEED),34)
corpus: ## process the public documents in ASSAY_CORPUS and compare their texts with those of poppler and LibreOffice; see docs/documents.md
	go test ./services/assay/test/e2e/documents -run Corpus -count=1 -timeout 90m -v -recall
charsets: ## compare the detection of charsets and languages with uchardet, in the folders ASSAY_UCHARDET, ASSAY_SENTENCES and ASSAY_VADER; see docs/texts.md
	go test ./pkg/extract/charset ./pkg/extract/language -run 'Uchardet|Sentences|Published' -count=1 -v
feeds: ## compare the entries of the feeds in the folder ASSAY_FEEDS with those of feedparser; see docs/feed-sources.md
	go test ./services/ingest/feed/source/syndication -run Feedparser -count=1 -v
conformance: ## run the public DynamoDB conformance suite in ASSAY_CONFORMANCE against the engine of `assay serve`; see pkg/dynamolite
	.ci/conformance

helm: ## render the Helm chart for all examples and check it, KEDA's code included; NATS_CHART=folder of the official chart nats
	.ci/scaling -count=1
	cd deploy/helm && GOWORK=off go test ./chart -count=1 $(if $(NATS_CHART),-nats.chart=$(abspath $(NATS_CHART)))
helm-template: ## write the objects of the chart to bin/assay.yaml, for kubectl and Kustomize: VALUES=deploy/helm/assay/ci/keda-values.yaml, RELEASE=assay, NAMESPACE=assay
	mkdir -p bin
	cd deploy/helm && GOWORK=off go run ./cmd/template -values $(abspath $(or $(VALUES),deploy/helm/assay/ci/kind-values.yaml)) \
		-release $(or $(RELEASE),assay) -namespace $(or $(NAMESPACE),assay) $(if $(NATS_CHART),-nats $(abspath $(NATS_CHART))) >$(CURDIR)/bin/assay.yaml

replay-feed: ## replay ITEMS=30000 feed items of three days and compare three replicas with an independent count
	ASSAY_REPLAY_ITEMS=$(or $(ITEMS),30000) go test -count=1 -v -timeout 60m -run TestReplayedDays ./services/query/feed/projector

stack: ## run the services in containers (docker-compose.yml)
	deploy/stack up
stack-offline: ## the same without access to a registry: images are built from Go modules only
	deploy/stack offline
stack-tokens: ## the same with credentials, and an OpenID Connect provider for tests
	deploy/stack tokens
stack-down: ## stop the containers and remove their data
	deploy/stack down
test-stack: ## test the promises in containers; without ASSAY_IMAGE, with the images of stack-offline
	deploy/stack test
