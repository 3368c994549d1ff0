package records

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// Limits of a description.
const (
	MaxDescribed = 50  // columns
	MaxGroups    = 100 // groups
)

// SummaryName is the name of the object with the Description of all records of a file and its first MaxDescribed columns. Files
// that were processed by earlier versions have none.
const SummaryName = "records/summary.json"

// ErrGroups means that records cannot be grouped by a column because it has too many distinct values.
var ErrGroups = fmt.Errorf("the field has more than %d different values", MaxDistinct)

// A Description contains the statistics of columns in a set of records, and in groups of it.
type Description struct {
	Records      int          `json:"records" doc:"number of records that are described: those that the filter selects, without failed ones"`
	Columns      []Statistics `json:"fields" doc:"statistics of the values of each field"`
	Groups       []Group      `json:"groups,omitempty" doc:"the 100 largest groups, by descending number of records; the records without a value are the last group"`
	OtherGroups  int          `json:"otherGroups,omitempty" doc:"number of groups that are not listed"`
	OtherRecords int          `json:"otherRecords,omitempty" doc:"number of records in groups that are not listed"`
}

// A Group contains the records with the same value of a column. Its statistics have neither distinct values nor
// histograms.
type Group struct {
	Value   string       `json:"value" doc:"as in the first record of the group; empty for the records without a value"`
	Records int          `json:"records"`
	Columns []Statistics `json:"fields" doc:"without distinct values and histograms"`
}

// Describe describes the records with these ascending indexes. If group is not nil, it also describes the groups of records
// with equal values of this column. It returns ErrGroups if the column has more than MaxDistinct values.
func (f *File) Describe(ctx context.Context, indexes []int, columns []Column, group *Column) (Description, error) {
	d := Description{Columns: make([]Statistics, len(columns))}
	of := func(int) int { return 0 } // the group of a record, from 1
	if group != nil {
		members, err := f.group(ctx, indexes, *group, &d)
		if err != nil {
			return d, err
		}
		of = func(index int) int { return int(members[index]) }
	}
	if len(columns) == 0 && group == nil {
		tallies, err := f.tallies(ctx, indexes, Column{Name: nameKey.name, Property: nameKey.property}, 0, of)
		if err == nil {
			d.Records = tallies[0].records
		}
		return d, err
	}
	for i, c := range columns {
		tallies, err := f.tallies(ctx, indexes, c, len(d.Groups), of)
		if err != nil {
			return d, err
		}
		d.Columns[i], d.Records = tallies[0].statistics(false), tallies[0].records
		for g := range d.Groups {
			d.Groups[g].Columns = append(d.Groups[g].Columns, tallies[g+1].statistics(true))
		}
	}
	return d, nil
}

// group sets the groups of a description. It returns the group of each record of the file: 1 for the first group, and 0 for
// the records in none of them.
func (f *File) group(ctx context.Context, indexes []int, c Column, d *Description) ([]uint8, error) {
	none := func(int) int { return 0 }
	tallies, err := f.tallies(ctx, indexes, c, 0, none)
	if err != nil {
		return nil, err
	}
	all := tallies[0]
	if all.exceeded {
		return nil, ErrGroups
	}
	type found struct {
		value value
		Frequency
	}
	var groups []found
	for _, frequency := range all.frequencies() {
		groups = append(groups, found{c.value(frequency.Value), frequency})
	}
	if n := all.records - all.count; n > 0 {
		groups = append(groups, found{value{class: absent}, Frequency{Count: n}})
	}
	numbers := map[value]uint8{}
	for i, g := range groups {
		if i >= MaxGroups {
			d.OtherGroups++
			d.OtherRecords += g.Count
			continue
		}
		numbers[g.value] = uint8(i + 1)
		d.Groups = append(d.Groups, Group{Value: g.Value, Records: g.Count})
	}
	d.Records = all.records
	members := make([]uint8, f.Total)
	err = f.cells(ctx, 0, f.layout().chunks(), indexes, c, func(_, index int, cell string) { members[index] = numbers[c.value(cell)] })
	return members, err
}

// describedAtOnce is the number of chunks that are described concurrently.
const describedAtOnce = 4

// tallies returns the tally of all records, and one of each group. of returns the group of a record.
func (f *File) tallies(ctx context.Context, indexes []int, c Column, groups int, of func(index int) int) ([]*tally, error) {
	all := make([]*tally, groups+1)
	for g := range all {
		all[g] = &tally{column: c, exceeded: g > 0} // distinct values of groups are not counted
	}
	for chunk, last := 0, f.layout().chunks(); chunk < last; chunk += describedAtOnce {
		parts := make([][]tally, min(describedAtOnce, last-chunk))
		for i := range parts {
			parts[i] = make([]tally, len(all))
			for g := range all {
				parts[i][g] = tally{column: c, exceeded: all[g].exceeded}
			}
		}
		err := f.cells(ctx, chunk, chunk+len(parts), indexes, c, func(at, index int, cell string) {
			parts[at-chunk][0].add(cell)
			if g := of(index); g > 0 {
				parts[at-chunk][g].add(cell)
			}
		})
		if err != nil {
			return nil, err
		}
		for i := range parts {
			for g := range all {
				all[g].merge(&parts[i][g])
			}
		}
	}
	return all, nil
}

// cells calls visit for the cells of a column in the chunks from first to before last, for each of the indexes whose record
// has not failed. It calls visit concurrently, but not for the same chunk.
func (f *File) cells(ctx context.Context, first, last int, indexes []int, c Column, visit func(chunk, index int, cell string)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(describedAtOnce)
	l := f.layout()
	for chunk := first; chunk < last; chunk++ {
		from, to := l.part(indexes, chunk)
		if from == to {
			continue
		}
		group.Go(func() error {
			o, err := f.open(ctx, chunk)
			if err != nil {
				return err
			}
			cells, err := o.column(ctx, columnKey{c.Name, c.Property})
			if err != nil {
				return err
			}
			var failed []string
			if o.header.Summary.Failed > 0 {
				if failed, err = o.column(ctx, errorKey); err != nil {
					return err
				}
			}
			for _, index := range indexes[from:to] {
				switch i := index - l.start(chunk); {
				case failed != nil && failed[i] != "":
				case cells == nil:
					visit(chunk, index, "")
				default:
					visit(chunk, index, cells[i])
				}
			}
			return nil
		})
	}
	return group.Wait()
}
