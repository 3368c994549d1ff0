package pdf

import (
	"cmp"
	"slices"
)

const (
	// column is the distance between two characters of a line, as a multiple of their height, from which they belong to
	// different columns.
	column = 1.5
	// leading is the maximum distance between two lines of a block, as a multiple of their height.
	leading = 0.9
	// minLines is the minimum number of lines of a column.
	minLines = 3
	// fill is the minimum mean width of the lines of a column, as a fraction of its width.
	fill = 0.6
	// narrow is the minimum width of a column, as a multiple of the height of its characters.
	narrow = 3
	// maxSegments and maxBlocks bound the time for order, which is quadratic in the segments and cubic in the blocks.
	maxSegments = 2000
	maxBlocks   = 100
)

// segment is a part of a line without a gap as wide as a column.
type segment struct {
	box
	height    float64 // of its tallest character
	last      box     // of its last character
	from, to  int     // its characters, with the spaces that follow
	continues bool    // it stands to the right of the segment before it, on the same line
}

// block is a sequence of lines below each other, such as a paragraph or a part of a column.
type block struct {
	box
	segments []int
}

// order returns the parts of the lines of a page in reading order. It joins parts that stand below each other to blocks,
// and reads blocks from top to bottom and columns from left to right; otherwise it keeps the order of the content. It
// returns nil if the content is in reading order, and for pages whose order it does not know: with lines from top to bottom,
// and with too many parts, such as maps.
//
// The two rules that order blocks are those of T. M. Breuel, High Performance Document Layout Analysis (2003), which
// poppler also applies.
func order(segments []segment) []segment {
	if len(segments) > maxSegments || vertical(segments) {
		return nil
	}
	segments = lines(segments)
	blocks := group(segments)
	if len(blocks) < 2 || len(blocks) > maxBlocks {
		return nil
	}
	var all []segment
	for _, b := range sorted(blocks) {
		for _, i := range blocks[b].segments {
			all = append(all, segments[i])
		}
	}
	if slices.IsSortedFunc(all, func(a, b segment) int { return cmp.Compare(a.from, b.from) }) {
		return nil
	}
	return all
}

// vertical reports whether a page has lines that run from top to bottom, such as those of Japanese books.
func vertical(segments []segment) bool {
	n := 0
	for _, s := range segments {
		if s.top-s.bottom > 2*max(s.height, s.right-s.left) {
			n++
		}
	}
	return 5*n > len(segments)
}

// lines joins the parts of lines that do not belong to columns.
func lines(segments []segment) []segment {
	inColumn := make([]bool, len(segments))
	for _, b := range group(segments) {
		if b.isColumn(segments) {
			for _, i := range b.segments {
				inColumn[i] = true
			}
		}
	}
	var all []segment
	for i, s := range segments {
		if n := len(all); n > 0 && s.continues && !(inColumn[i-1] && inColumn[i]) {
			last := &all[n-1]
			last.box, last.height, last.to = last.union(s.box), max(last.height, s.height), s.to
			continue
		}
		all = append(all, s)
	}
	return all
}

// isColumn reports whether a block contains a column of text rather than one of a table: several of its lines are parts of
// wider lines, and they fill most of their width.
func (b block) isColumn(segments []segment) bool {
	var parts block
	width, height := 0.0, 0.0
	for _, i := range b.segments {
		s := segments[i]
		if !s.continues && (i+1 == len(segments) || !segments[i+1].continues) {
			continue
		}
		if parts.segments == nil {
			parts.box = s.box
		}
		parts.box, parts.segments = parts.union(s.box), append(parts.segments, i)
		width += s.right - s.left
		height = max(height, s.height)
	}
	n, whole := float64(len(parts.segments)), parts.right-parts.left
	return n >= minLines && width >= fill*n*whole && whole >= narrow*height
}

// group joins segments to blocks, in the order of the content.
func group(segments []segment) []block {
	var blocks []block
	for i, s := range segments {
		found := -1
		for n := len(blocks) - 1; n >= 0; n-- {
			last := segments[blocks[n].last()]
			if blocks[n].last() == i-1 && adjoins(last, s) || follows(last, s) && !separated(blocks, n, last.box, s.box) {
				found = n
				break
			}
		}
		if found < 0 {
			blocks = append(blocks, block{s.box, []int{i}})
			continue
		}
		blocks[found].box = blocks[found].union(s.box)
		blocks[found].segments = append(blocks[found].segments, i)
	}
	return blocks
}

func (b block) last() int { return b.segments[len(b.segments)-1] }

// adjoins reports whether the segment b continues the line of a, for example as a superscript.
func adjoins(a, b segment) bool {
	high := max(a.height, b.height)
	return min(a.top, b.top) > max(a.bottom, b.bottom) && b.left >= a.left && b.left-a.right <= high
}

// separated reports whether another block stands between two segments of block n.
func separated(blocks []block, n int, above, below box) bool {
	for i, b := range blocks {
		if i != n && b.overlap(above) > 0 && b.overlap(below) > 0 && between(b.middle(), above.middle(), below.middle()) {
			return true
		}
	}
	return false
}

// follows reports whether the segment b is the next line below a.
func follows(a, b segment) bool {
	low, high := min(a.height, b.height), max(a.height, b.height)
	return high <= 1.5*low && b.top <= a.top && a.bottom-b.top <= leading*high && b.bottom < a.bottom && a.overlap(b.box) > 0
}

// sorted returns the indices of blocks in reading order.
func sorted(blocks []block) []int {
	visited := make([]bool, len(blocks))
	var all []int
	var visit func(int)
	visit = func(b int) {
		if visited[b] {
			return
		}
		visited[b] = true
		for a := range blocks {
			if !visited[a] && precedes(blocks, a, b) {
				visit(a)
			}
		}
		all = append(all, b)
	}
	for b := range blocks {
		visit(b)
	}
	return all
}

// precedes reports whether block a comes before block b: a is above b in the same column, or a is in a column to the left
// of b, and no block between them spans both columns.
func precedes(blocks []block, a, b int) bool {
	x, y := blocks[a], blocks[b]
	if x.overlap(y.box) > 0 {
		return x.top > y.top
	}
	if x.right > y.left || min(x.top, y.top) <= max(x.bottom, y.bottom) {
		return false
	}
	for i, c := range blocks {
		if i != a && i != b && c.overlap(x.box) > 0 && c.overlap(y.box) > 0 && between(c.middle(), x.middle(), y.middle()) {
			return false
		}
	}
	return true
}
