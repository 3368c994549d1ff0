package dataset

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/records"
)

// Source contains the records of a file.
type Source struct {
	// Records iterates over all records in order. It is called several times, and returns the same records each time.
	Records func(ctx context.Context) iter.Seq2[*records.Record, error]
	// Fingerprint returns the fingerprint of the record with an index, or nil if it has none. It is called in the order of the
	// records. Fingerprint is nil if the records are not molecules.
	Fingerprint func(ctx context.Context, index int) (*fingerprint.Fingerprint, error)
}

// Limits of the bits of fingerprints that are features.
const (
	maxBits   = 1024
	rareBit   = 0.01 // share of the rows that have the bit
	commonBit = 0.99
)

// Build makes the examples of a model. It returns a *TargetError if the column cannot be predicted, the errors of source, or
// the error of ctx. It reads the records three times, and needs memory for the values within limits and 32 bytes a record.
func Build(ctx context.Context, p Plan, source Source, limits Limits) (*Set, error) {
	b := &builder{ctx: ctx, plan: p, source: source, limits: limits, set: &Set{Report: Report{Excluded: map[Reason]int{}}}}
	for _, step := range []func() error{b.findExamples, b.chooseFeatures, b.sample, b.fill, b.prune} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.group()
	return b.set, nil
}

type builder struct {
	ctx      context.Context
	plan     Plan
	source   Source
	limits   Limits
	set      *Set
	examples []example
	columns  []Column // that may be features
	named    []bool   // whether each of the columns is an identifier if its values are distinct integers
	numbers  []bool   // whether each of the columns numbers the records if its values are distinct integers in order
	dropped  map[Column]Excluded
	bits     []int
	keys     []string // InChIKey of each row, or ""
	x        table    // columns, then bits
}

// each calls visit for the records that have not failed, and returns the number of the others.
func (b *builder) each(visit func(r *records.Record) error) (failed int, err error) {
	for r, err := range b.source.Records(b.ctx) {
		if err == nil && r.Index&0xff == 0 {
			err = b.ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		if r.Failed() {
			failed++
			continue
		}
		if err := visit(r); err != nil {
			return 0, err
		}
	}
	return failed, nil
}

// rows calls visit for the records of the examples, in their order.
func (b *builder) rows(visit func(row int, r *records.Record) error) error {
	row := 0
	_, err := b.each(func(r *records.Record) error {
		if row == len(b.examples) || b.examples[row].record != r.Index {
			return nil
		}
		row++
		return visit(row-1, r)
	})
	if err == nil && row < len(b.examples) {
		err = fmt.Errorf("record %d was found once, and not again", b.examples[row].record)
	}
	return err
}

func (b *builder) fingerprint(index int) (*fingerprint.Fingerprint, error) {
	if b.source.Fingerprint == nil {
		return nil, nil
	}
	return b.source.Fingerprint(b.ctx, index)
}

func (b *builder) rejected(problem string) error {
	return &TargetError{Column: b.plan.Target.Name, Problem: problem}
}

// findExamples finds the records with a value to predict.
func (b *builder) findExamples() error {
	t, all := targets{column: b.plan.Target}, 0
	failed, err := b.each(func(r *records.Record) error {
		all++
		f, err := b.fingerprint(r.Index)
		if err == nil {
			t.add(r, f != nil)
		}
		return err
	})
	if err != nil {
		return err
	}
	without := all - len(t.examples)
	target, excluded, err := t.decide(b.candidates())
	if err != nil {
		return err
	}
	excluded[NoValue] += without
	excluded[Failed] = failed
	b.set.Target, b.examples = target, t.examples
	b.requireFingerprints(excluded)
	for reason, n := range excluded {
		if n > 0 {
			b.set.Report.Excluded[reason] = n
		}
	}
	if problem := few(target.Task, target.Classes, b.examples); problem != "" {
		return b.rejected(problem)
	}
	return nil
}

func (b *builder) candidates() []string {
	var names []string
	for _, c := range b.plan.Columns {
		if !identifies(c.Name) && len(names) < maxCandidates {
			names = append(names, c.Name)
		}
	}
	return names
}

// requireFingerprints removes the examples without a fingerprint if most have one; otherwise it does without fingerprints.
func (b *builder) requireFingerprints(excluded map[Reason]int) {
	with := 0
	for _, e := range b.examples {
		if e.has {
			with++
		}
	}
	if 2*with < len(b.examples) || with == 0 {
		if with > 0 {
			b.remark("Only %d of %d records have a molecule that RDKit can read, so the model does without the structures.", with, len(b.examples))
		}
		b.source.Fingerprint = nil
		return
	}
	if with < len(b.examples) {
		excluded[NoFingerprint] = len(b.examples) - with
		b.examples = slices.DeleteFunc(b.examples, func(e example) bool { return !e.has })
	}
}

func (b *builder) remark(format string, args ...any) {
	b.set.Report.Remarks = append(b.set.Report.Remarks, fmt.Sprintf(format, args...))
}

// drop leaves out a column.
func (b *builder) drop(c Column, reason Reason, other string) {
	if b.dropped == nil {
		b.dropped = map[Column]Excluded{}
	}
	b.dropped[c] = Excluded{c.Name, c.Property, reason, other}
}

// chooseFeatures chooses the columns and the bits that may be features by their values in all rows.
func (b *builder) chooseFeatures() error {
	surveys, bits := make([]survey, len(b.plan.Columns)), make([]int, fingerprint.Bits)
	row, at := 0, cursor{-1, -1}
	_, err := b.each(func(r *records.Record) error {
		used := row < len(b.examples) && b.examples[row].record == r.Index
		for i, c := range b.plan.Columns {
			if n, _, ok := at.number(c, r); ok {
				surveys[i].add(n, used)
			}
		}
		if !used {
			return nil
		}
		row++
		f, err := b.fingerprint(r.Index)
		if err != nil || f == nil {
			return err
		}
		for bit := range f.All {
			bits[bit]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, c := range b.plan.Columns {
		reason := surveys[i].reason(len(b.examples))
		if c.Property && c.Name == "row" { // of a sheet
			reason = Identifier
		}
		if reason != "" {
			b.drop(c, reason, "")
			continue
		}
		b.columns = append(b.columns, c)
		b.named, b.numbers = append(b.named, identifies(c.Name)), append(b.numbers, surveys[i].numbers())
	}
	b.bits = frequent(bits, len(b.examples))
	if len(b.columns)+len(b.bits) == 0 {
		return b.rejected("no other field of the file can be learned from")
	}
	return nil
}

// frequent returns the bits that are neither rare nor common in the rows, ascending. If there are too many, it returns the most
// frequent ones.
func frequent(counts []int, rows int) []int {
	var bits []int
	for bit, n := range counts {
		if share := float64(n) / float64(rows); share >= rareBit && share <= commonBit {
			bits = append(bits, bit)
		}
	}
	slices.SortFunc(bits, func(a, b int) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	bits = bits[:min(len(bits), maxBits)]
	slices.Sort(bits)
	return bits
}

// sample reduces the examples to those within the limits.
func (b *builder) sample() error {
	rows, values := cmp.Or(b.limits.Rows, MaxRows), cmp.Or(b.limits.Values, MaxValues)
	most := min(rows, values/(len(b.columns)+len(b.bits)))
	all := len(b.examples)
	if all <= most {
		return nil
	}
	random := rand.New(rand.NewPCG(b.limits.Seed, sampleStream))
	for i := range most { // the start of a Fisher-Yates shuffle
		j := i + random.IntN(all-i)
		b.examples[i], b.examples[j] = b.examples[j], b.examples[i]
	}
	b.examples = slices.Clone(b.examples[:most])
	slices.SortFunc(b.examples, func(a, b example) int { return cmp.Compare(a.record, b.record) })
	b.set.Report.Excluded[NotSampled] = all - most
	b.remark("The model learns from a random sample of %d of the %d records, because it learns from at most %d records and %d values of features.", most, all, rows, values)
	if problem := few(b.set.Target.Task, b.set.Target.Classes, b.examples); problem != "" {
		return b.rejected(problem)
	}
	return nil
}

// sampleStream distinguishes the random numbers of the sample from others of the same seed.
const sampleStream = 0x73616d706c65

// fill reads the values of the rows. A missing value is NaN.
func (b *builder) fill() error {
	columns := len(b.columns)
	b.x.Rows, b.x.Columns = len(b.examples), columns+len(b.bits)
	b.x.Values = make([]float64, b.x.Rows*b.x.Columns)
	b.keys = make([]string, b.x.Rows)
	if len(b.bits) > 0 {
		b.set.Fingerprints = make([]*fingerprint.Fingerprint, b.x.Rows)
	}
	at := cursor{-1, -1}
	return b.rows(func(row int, r *records.Record) error {
		x := b.x.Row(row)
		for j, c := range b.columns {
			n, _, ok := at.number(c, r)
			if !ok {
				n = math.NaN()
			}
			x[j] = n
		}
		b.keys[row], _ = r.Properties.Get(moleculeKey).(string)
		if len(b.bits) == 0 {
			return nil
		}
		f, err := b.fingerprint(r.Index)
		if err != nil {
			return err
		}
		if f == nil {
			return fmt.Errorf("the fingerprint of record %d was found once, and not again", r.Index)
		}
		one := *f // the source may keep many in one slice
		b.set.Fingerprints[row] = &one
		for j, bit := range b.bits {
			if f.Has(bit) {
				x[columns+j] = 1
			}
		}
		return nil
	})
}

// moleculeKey is structure.InChIKey. Package structure would link its engine into programs that only make a Plan.
const moleculeKey = "inchiKey"
