package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tree runs `assay library tree` and returns its output.
func (p person) tree(path ...string) string {
	p.Helper()
	got := p.run(append([]string{"library", "tree"}, path...)...)
	if got.status != 0 || got.errors != "" {
		p.Fatalf("library tree: got %+v, want status 0", got)
	}
	return got.out
}

// localFiles writes files below a new folder and returns its path.
func localFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLibraryMkdir(t *testing.T) {
	p := newPerson(t)
	p.run("library", "mkdir", "/Archive").want(t, 0, "ID  -                               Archive/\n", "")
	p.run("library", "mkdir", "Archive").want(t, 1, "", "Archive: already exists; use -p to accept an existing folder\n")
	p.run("library", "mkdir", "/A/b", "/Other").want(t, 1, "ID  -                               Other/\n",
		"/A/b: there is no \"A\" in the library at /A; use -p to create it too\nassay: 1 of 2 failed\n")
	p.run("library", "mkdir", "-p", "/Archive/2026/May", "/Archive").want(t, 0,
		"ID  -                               May/\nID  -                               Archive/\n", "")
	p.run("library", "mkdir", "/a:b").want(t, 1, "", `/a:b: the name is not allowed: it contains one of / \ : * ? " < > |`)
	p.run("library", "mkdir", "/").want(t, 1, "", "/: is not the path of a new folder\n")
	if got := p.run("library", "mkdir", "-p", "/"); got.status != 0 || got.errors != "" {
		t.Errorf("mkdir -p /: got %+v, want status 0", got)
	}
	if got, want := p.tree(), "/\n├── Archive/\n│   └── 2026/\n│       └── May/\n└── Other/\n4 folders, 0 files\n"; got != want {
		t.Errorf("tree: got\n%s, want\n%s", got, want)
	}
	file := filepath.Join(localFiles(t, map[string]string{"a.txt": "a"}), "a.txt")
	p.run("library", "put", file)
	p.run("library", "mkdir", "a.txt").want(t, 1, "", "a.txt: already exists")
	p.run("library", "mkdir", "-p", "a.txt/b").want(t, 1, "", "a.txt/b: a.txt is not a folder\n")
}

// TestLibraryPutCreatesFolders checks that concurrent uploads to a missing folder create it once, and that folders that
// exist are used, also those that another command has created.
func TestLibraryPutCreatesFolders(t *testing.T) {
	p := newPerson(t)
	dir := localFiles(t, map[string]string{"Reports/a.txt": "a", "Reports/deep/b.txt": "b", "c.txt": "c"})
	p.run("library", "mkdir", "/Old") // sets the owner for all commands
	var both sync.WaitGroup
	for _, name := range []string{"Reports", "c.txt"} {
		both.Go(func() {
			if got := run(t.Context(), "", "library", "put", filepath.Join(dir, name), "--to", "/Archive/2026"); got.status != 0 {
				t.Errorf("put %s: got %+v, want status 0", name, got)
			}
		})
	}
	both.Wait()
	want := "Archive/\n└── 2026/\n    ├── Reports/\n    │   ├── a.txt\n    │   └── deep/\n    │       └── b.txt\n    └── c.txt\n"
	if got := p.tree("/Archive"); !strings.HasPrefix(withoutStatus(got), want) {
		t.Errorf("tree: got\n%s, want\n%s", got, want)
	}
	p.run("library", "mkdir", "-p", "/Made/Reports/deep")
	put := p.run("library", "put", filepath.Join(dir, "Reports"), "--to", "/Made", "--wait")
	files := strings.SplitAfter(put.out, "\n") // in the order in which the uploads end
	name := func(line string) string { return line[strings.LastIndexByte(line, ' ')+1:] }
	slices.SortFunc(files[:len(files)-1], func(a, b string) int { return strings.Compare(name(a), name(b)) })
	put.out = strings.Join(files, "")
	put.want(t, 0, "ID  Processed                  1 B  a.txt\nID  Processed                  1 B  b.txt\n", "2 folders, 2 files\n")
	if got, want := p.tree("/Made"), "Made/\n└── Reports/\n    ├── a.txt\n    └── deep/\n        └── b.txt\n2 folders, 2 files\n"; got != want {
		t.Errorf("tree: got\n%s, want\n%s", got, want)
	}
	p.run("library", "put", filepath.Join(dir, "c.txt"), "--to", "/Archive/2026/c.txt").want(t, 1, "", "c.txt is not a folder\n")
}

// withoutStatus removes the states of files that are not processed yet.
func withoutStatus(tree string) string {
	lines := strings.Split(tree, "\n")
	for i, line := range lines {
		lines[i], _, _ = strings.Cut(line, "  (")
	}
	return strings.Join(lines, "\n")
}

func TestLibraryPutNames(t *testing.T) {
	p := newPerson(t)
	dir := localFiles(t, map[string]string{
		"in/final: v2?.txt": "1", "in/CON/a|b.md": "2", "in/fine.txt": "3", "in/a*": "4", "in/a_": "5", "in/\u200b": "6", "in/x\u202etxt.exe": "7",
	})
	got := p.run("library", "put", filepath.Join(dir, "in"))
	if got.status != 1 || strings.Count(got.out, "\n") != 2 {
		t.Errorf("put: got %+v, want status 1 and two stored files", got)
	}
	for _, want := range []string{
		"final: v2?.txt: the name is not allowed: it contains one of", "CON: the name is not allowed: Windows reserves it for a device\n",
		"a*: the name is not allowed", ": the name is not allowed: it contains no visible character\n", "changes the direction of text\n",
		"5 of 7 failed\n", "Names that are not allowed: 5. Repeat the command with --replace-names to store similar names.\n",
	} {
		if !strings.Contains(got.errors, want) {
			t.Errorf("put: got the errors\n%s, want %q", got.errors, want)
		}
	}
	got = p.run("library", "put", "--replace-names", "--wait", filepath.Join(dir, "in"))
	for _, want := range []string{
		"in/final: v2?.txt: stored as final_ v2_.txt\n", "in/CON: stored as CON_\n", "in/CON/a|b.md: stored as a_b.md\n", "in/a*: stored as a_ (2)\n",
		": stored as _\n", "stored as x_txt.exe\n", "2 folders, 7 files\n",
	} {
		if got.status != 0 || !strings.Contains(got.errors, want) {
			t.Errorf("put --replace-names: got %+v, want status 0 and %q", got, want)
		}
	}
	want := "in/\n├── CON_/\n│   └── a_b.md\n├── _\n├── a_\n├── a_ (2)\n├── final_ v2_.txt\n├── fine.txt\n└── x_txt.exe\n1 folder, 7 files\n"
	for range 2 { // another run adds nothing
		if got := p.tree("/in"); got != want {
			t.Errorf("tree: got\n%s, want\n%s", got, want)
		}
		p.run("library", "put", "--replace-names", "--wait", filepath.Join(dir, "in"))
	}
}

func TestLibraryMove(t *testing.T) {
	p := newPerson(t)
	dir := localFiles(t, map[string]string{"a.txt": "a", "b.txt": "b", "c.txt": "c"})
	p.run("library", "put", "--wait", filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt"), filepath.Join(dir, "c.txt"))
	p.run("library", "mkdir", "/docs")
	const taken = "assay: the folder already has a node named b.txt; use --replace to move it to the trash, or --keep-both\n"
	p.run("library", "mv", "a.txt", "b.txt").want(t, 1, "", taken)
	p.run("library", "mv", "a.txt", "a.txt").want(t, 0, "ID  Processed                  1 B  a.txt\n", "")
	p.run("library", "mv", "a.txt", "/docs/b.txt").want(t, 0, "ID  Processed                  1 B  b.txt\n", "")
	p.run("library", "mv", "b.txt", "/docs").want(t, 1, "", taken)
	p.run("library", "mv", "b.txt", "/docs", "--keep-both").want(t, 0, "ID  Processed                  1 B  b.txt\n", "")
	if got, want := p.tree(), "/\n├── c.txt\n└── docs/\n    ├── b.txt\n    └── b.txt\n1 folder, 3 files\n"; got != want {
		t.Errorf("tree: got\n%s, want\n%s", got, want)
	}
	p.run("library", "mv", "c.txt", "/docs/b.txt", "--replace").want(t, 0, "ID  Processed                  1 B  b.txt\n", "")
	if got, want := p.tree(), "/\n└── docs/\n    └── b.txt\n1 folder, 1 file\n"; got != want {
		t.Errorf("tree: got\n%s, want\n%s", got, want)
	}
	p.run("library", "get", "/docs/b.txt").want(t, 0, "c", "")
	if got := p.run("library", "ls", "--trash"); strings.Count(got.out, "b.txt") != 2 {
		t.Errorf("ls --trash: got %+v, want both replaced files", got)
	}
	p.run("library", "mkdir", "-p", "/other/docs")
	p.run("library", "mv", "/docs", "/other").want(t, 1, "", "already has a node named docs")
	p.run("library", "mv", "/docs", "/other", "--replace").want(t, 1, "", "only a file can replace a file\n")
	p.run("library", "mv", "/docs", "/other", "--replace", "--keep-both").want(t, 2, "", "See: assay library mv --help")
}

// TestLibraryReasons checks that commands print why a file is not completely processed.
func TestLibraryReasons(t *testing.T) {
	p := newPerson(t)
	dir := localFiles(t, map[string]string{"partly.csv": "a,b\nx,y\nx,y,z\n", "empty.pdf": "", "damaged.pdf": "%PDF-1.4 x", "empty.txt": "", "empty.csv": "", "empty.json": "", "empty.md": "", "empty.html": ""})
	const partly = "1 of 2 records failed; the first, record 2: the row has 3 cells, but the table has 2 columns"
	got := p.run("library", "put", dir, "--to", "/", "--wait")
	list := p.run("library", "ls", filepath.Base(dir))
	if got.status != 1 || list.status != 0 {
		t.Errorf("put: got %+v, ls: got %+v, want status 1 because of a file, and 0", got, list)
	}
	for _, out := range []string{got.out, list.out} {
		for _, want := range []string{
			"ProcessedPartially        14 B  partly.csv  (" + partly + ")\n", "Failed                     0 B  empty.pdf  (the file is empty)\n",
			"Failed                    10 B  damaged.pdf  (the document is not a PDF, or is damaged)\n",
			"Processed                  0 B  empty.txt\n", "Processed                  0 B  empty.csv\n", "Processed                  0 B  empty.json\n",
			"Processed                  0 B  empty.md\n", "Processed                  0 B  empty.html\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("got\n%s, want %q", out, want)
			}
		}
	}
	p.run("library", "ls", "--json", filepath.Base(dir)+"/partly.csv").has(t, 0, `"status":"ProcessedPartially"`, "")
	p.run("library", "text", filepath.Base(dir)+"/empty.txt").want(t, 0, "", "")
}

// TestLibraryText: the pages of a document are separated by form feeds on lines of their own, and the text ends with a line end.
func TestLibraryText(t *testing.T) {
	const document = `%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Count 2/Kids[3 0 R 3 0 R]/MediaBox[0 0 300 400]/Resources<</Font<</F <</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R>> endobj
4 0 obj <</Length 36>> stream
BT /F 24 Tf 40 300 Td (A page) Tj ET
endstream endobj
trailer <</Root 1 0 R/Size 5>>
%%EOF
`
	p := newPerson(t)
	dir := localFiles(t, map[string]string{"pages.pdf": document, "line.txt": "one line"})
	p.run("library", "put", "--wait", "--to", "/Texts", filepath.Join(dir, "pages.pdf"), filepath.Join(dir, "line.txt")).has(t, 0, "Processed", "0 folders, 2 files")
	p.run("library", "text", "/Texts/pages.pdf").want(t, 0, "A page\n\fA page\n\f", "")
	p.run("library", "text", "/Texts/line.txt").want(t, 0, "one line\n", "")
}

// TestLibraryShare checks that shared addresses are those of pages.
func TestLibraryShare(t *testing.T) {
	p := newPerson(t)
	p.run("library", "mkdir", "/docs")
	got := p.run("library", "share", "/docs")
	page := regexp.MustCompile(`^http://[^/]+/library/` + ids.String() + `\?link=[\w-]+\nvalid until .*\n$`)
	if got.status != 0 || !page.MatchString(got.out) {
		t.Errorf("share: got %+v, want the address of a page", got)
	}
	p.run("library", "links", "/docs").want(t, 0, unique(got.out), "")
	p.run("library", "links", "/docs", "--json").has(t, 0, `"url":"http://`, "")
	public := p.run("library", "share", "/docs", "--public")
	if address, _, _ := strings.Cut(got.out, "?"); public.status != 0 || public.out != address+"\n" {
		t.Errorf("share --public: got %+v, want %s", public, address)
	}
	p.run("library", "share", "/docs", "--private").want(t, 0, "", "")
	p.run("library", "share", "/docs", "--revoke").want(t, 0, "", "")
	p.run("library", "links", "/docs").want(t, 0, "", "")
}

func TestLibraryReadsTablesAsStated(t *testing.T) {
	p := newPerson(t)
	dir := localFiles(t, map[string]string{"a.csv": "a;b,c\nx;y,z\nx;y,z\n"})
	record := func(want string) {
		t.Helper()
		p.run("library", "records", "/a.csv", "--limit", "1").want(t, 0, "     1    "+want+"\n", "")
	}
	p.run("library", "put", "--header", "maybe", dir).want(t, 2, "", `--header "maybe" is not yes or no`)
	p.run("library", "put", "--delimiter", ",", "--wait", filepath.Join(dir, "a.csv"))
	record("a;b=x;y  c=z")
	p.run("library", "reprocess", "/a.csv", "--delimiter", ";", "--decimal", ",", "--wait")
	record("a=x  b,c=y,z")
	p.run("library", "reprocess", "/a.csv", "--wait")
	record("a=x  b,c=y,z")
	p.run("library", "reprocess", "/a.csv", "--detect", "--delimiter", ",").want(t, 2, "", "were all set")
	p.run("library", "retry", "/a.csv").want(t, 1, "", "Processed")
}
