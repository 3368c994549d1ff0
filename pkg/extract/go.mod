module github.com/assay-project/assay/pkg/extract

go 1.26.0

require (
	codeberg.org/readeck/go-readability/v2 v2.1.3
	github.com/bep/imagemeta v1.0.1
	github.com/clipperhouse/uax29/v2 v2.7.0
	github.com/gabriel-vasile/mimetype v1.4.16
	github.com/go-text/typesetting v0.3.5
	github.com/jonreiter/govader v0.0.0-20250429093935-f6505c8d03cc
	github.com/klauspost/compress v1.20.3
	github.com/mmcloughlin/avo v0.6.0
	github.com/molecule-man/go-brrr v1.3.1
	github.com/richardlehane/mscfb v1.0.9
	github.com/richardlehane/msoleps v1.0.6
	github.com/tetratelabs/wazero v1.12.0
	golang.org/x/image v0.47.0
	golang.org/x/net v0.62.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.50.0
	golang.org/x/text v0.43.0
	gonum.org/v1/gonum v0.17.0
	maragu.dev/gomponents v1.2.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/andybalholm/cascadia v1.3.3 // indirect
	github.com/go-shiori/dom v0.0.0-20230515143342-73569d674e1c // indirect
	github.com/gogs/chardet v0.0.0-20211120154057-b7413eaefb8f // indirect
	github.com/itlightning/dateparse v0.2.1 // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
