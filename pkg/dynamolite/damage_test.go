package dynamolite_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// killed returns the files of an engine with acknowledged writes that was never
// closed, its content, and the offsets of the records in the journal. The last
// offset is the end of the records.
func killed(t *testing.T) (db, journal []byte, want content, records []int) {
	t.Helper()
	path := prepared(t)
	s := start(t, dynamolite.Options{Path: path})
	end := func() int {
		_, journal = readFiles(t, path)
		salt := journal[16:24]
		return bytes.LastIndex(journal, salt) - 8
	}
	for i := range 25 {
		s.put("left", item("id", fmt.Sprint(i), "kind", "k", "n", i, "text", strings.Repeat("x", 40*i)))
		if i == 0 {
			records = append(records, 8192)
		}
		records = append(records, end())
	}
	want = s.content()
	db, journal = readFiles(t, path)
	return db, journal, want, records
}

// openDamaged opens copies of the files. It returns nil and the error of Open, or
// the engine's content.
func openDamaged(t *testing.T, db, journal []byte) (*content, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "db")
	if err := errors.Join(os.WriteFile(path, db, 0o600), os.WriteFile(path+".journal", journal, 0o600)); err != nil {
		t.Fatal(err)
	}
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		if left := must(os.ReadFile(path + ".journal"))(t); !bytes.Equal(left, journal) {
			t.Error("the failed Open changed the journal, want no change")
		}
		return nil, err
	}
	got := serve(t, engine).content()
	return &got, nil
}

// TestFlippedBitInTheJournalIsDetected flips some bits of the file;
// TestParserFindsEveryFlippedBit flips all bits in memory.
func TestFlippedBitInTheJournalIsDetected(t *testing.T) {
	db, journal, want, records := killed(t)
	last, end := records[len(records)-2], records[len(records)-1]
	random := rand.New(rand.NewPCG(3, 4))
	var bits []int
	for _, start := range []int{0, 4096, records[0], records[12], last, end} { // headers of the file and of records
		bits = append(bits, 8*start+random.IntN(8*8), 8*start+8*8+random.IntN(8*8), 8*start+16*8+random.IntN(8*8))
	}
	for range 3 {
		bits = append(bits, random.IntN(8192*8), 8*records[0]+random.IntN(8*(end-records[0])), 8*last+random.IntN(8*(end-last)))
	}
	detected := 0
	for _, bit := range bits {
		flipped := bytes.Clone(journal)
		flipped[bit/8] ^= 1 << (bit % 8)
		got, err := openDamaged(t, db, flipped)
		if err == nil {
			if !reflect.DeepEqual(*got, want) {
				t.Errorf("bit %d of byte %d: got %d items without an error, want %d", bit%8, bit/8, len(got.items), len(want.items))
			}
			if bit/8 >= records[0] && bit/8 < end {
				t.Errorf("bit %d of byte %d, in a record: got no error, want one", bit%8, bit/8)
			}
			continue
		}
		detected++
		at, _ := slices.BinarySearch(records, bit/8+1)
		damage, ok := errors.AsType[*dynamolite.CorruptError](err)
		if !ok || at == 0 || damage.Offset != int64(records[at-1]) || !damage.Repairable || damage.Later != len(records)-1-at {
			t.Errorf("bit %d of byte %d: got error %v, want a CorruptError for its record", bit%8, bit/8, err)
		}
	}
	if detected == 0 {
		t.Error("no flipped bit was detected, want some")
	}
}

func TestRepairTruncatesTheJournalAtTheDamage(t *testing.T) {
	db, journal, _, records := killed(t)
	flipped := bytes.Clone(journal)
	flipped[records[20]+20] ^= 4
	path := filepath.Join(t.TempDir(), "db")
	if err := errors.Join(os.WriteFile(path, db, 0o600), os.WriteFile(path+".journal", flipped, 0o600)); err != nil {
		t.Fatal(err)
	}
	damage, err := dynamolite.RepairJournal(path)
	if err != nil || damage == nil || damage.Offset != int64(records[20]) || damage.Later != 4 {
		t.Fatalf("repair: got damage %+v, error %v, want damage at offset %d before 4 later commits", damage, err, records[20])
	}
	if kept := must(os.ReadFile(path + ".journal.damaged"))(t); !bytes.Equal(kept, flipped) {
		t.Error("the copy differs from the damaged journal, want equal content")
	}
	var found dynamolite.Recovery
	s := start(t, dynamolite.Options{Path: path, OnRecovery: func(r dynamolite.Recovery) { found = r }})
	if s.get("left", item("id", "19")) == nil || text(s.get("left", item("id", "20")), "text") == strings.Repeat("x", 800) {
		t.Error("the recovered content differs, want exactly the commits before the damage")
	}
	if found != (dynamolite.Recovery{Commits: 20}) {
		t.Errorf("got recovery %+v, want 20 commits", found)
	}
	if damage, err := dynamolite.RepairJournal(path); damage != nil || err == nil {
		t.Errorf("repair of an open file: got damage %v, error %v, want only an error", damage, err)
	}
}

func TestDamageThatCannotBeRepaired(t *testing.T) {
	db, journal, _, _ := killed(t)
	headers := bytes.Clone(journal)
	headers[30] ^= 1
	headers[4096+30] ^= 1
	old := bytes.Clone(journal)
	copy(old, "dynlite1")
	for name, c := range map[string]struct {
		journal []byte
		old     bool
	}{"both headers damaged": {headers, false}, "truncated": {journal[:1<<20], false}, "older format": {old, true}} {
		_, err := openDamaged(t, db, c.journal)
		damage, ok := errors.AsType[*dynamolite.CorruptError](err)
		if errors.Is(err, dynamolite.ErrOldFormat) != c.old || ok == c.old || ok && damage.Repairable {
			t.Errorf("%s: got error %v, want a CorruptError that is not repairable, or ErrOldFormat for an older format", name, err)
		}
	}
}

func TestInterruptedRecordIsReported(t *testing.T) {
	path := prepared(t)
	s := start(t, dynamolite.Options{Path: path})
	s.put("left", item("id", "acknowledged"))
	db, before := readFiles(t, path)
	s.put("left", item("id", "torn", "text", strings.Repeat("x", 5000)))
	_, after := readFiles(t, path)
	end := bytes.LastIndex(before, before[16:24]) - 8
	torn := bytes.Clone(before)
	copy(torn[end:], after[end:end+3000])
	copied := filepath.Join(t.TempDir(), "db")
	if err := errors.Join(os.WriteFile(copied, db, 0o600), os.WriteFile(copied+".journal", torn, 0o600)); err != nil {
		t.Fatal(err)
	}
	var found dynamolite.Recovery
	start(t, dynamolite.Options{Path: copied, OnRecovery: func(r dynamolite.Recovery) { found = r }})
	if found != (dynamolite.Recovery{Commits: 1, Incomplete: int64(end)}) {
		t.Errorf("got recovery %+v, want 1 commit and an incomplete one at %d", found, end)
	}
}
