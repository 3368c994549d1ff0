package dashboard

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// tally is a count by sentiment with the sum of compounds. It is stored as one number,
//
//	compound * 10^24 + negative * 10^16 + neutral * 10^8 + positive
//
// The sum of such numbers encodes the sum of the tallies, so one ADD changes all four parts, and a
// counter stores a quarter as many values. DynamoDB's 38 digits suffice for a hundred million items
// of each sentiment per day.
type tally struct {
	Counts
	compound int64 // the sum in units of 0.0001, so that it is exact
}

const (
	partDigits = 8
	partLimit  = 100_000_000
)

var errTally = errors.New("a counter's slot is not a sum of counts")

func (r Row) tally() tally {
	t := tally{compound: int64(math.Round(r.Compound * 1e4))}
	t.Counts.add(r.Sentiment)
	return t
}

func (t *tally) items() int { return t.Positive + t.Neutral + t.Negative }

func (t *tally) add(other tally) {
	t.Positive += other.Positive
	t.Neutral += other.Neutral
	t.Negative += other.Negative
	t.compound += other.compound
}

// number encodes t, whose parts may have different signs.
func (t tally) number() string {
	sum, next := big.NewInt(t.compound), big.NewInt(partLimit)
	for _, part := range []int{t.Negative, t.Neutral, t.Positive} {
		sum.Mul(sum, next).Add(sum, big.NewInt(int64(part)))
	}
	return sum.String()
}

// parseTally decodes a number, or a sum of numbers, whose counts are not negative.
// It returns errTally if text is invalid.
func parseTally(text string) (tally, error) {
	digits, negative := strings.CutPrefix(text, "-")
	var parts [4]int64 // positive, neutral, negative, compound
	for i := range parts {
		cut := max(len(digits)-partDigits, 0)
		if i == len(parts)-1 {
			cut = 0
		}
		var ok bool
		if parts[i], ok = natural(digits[cut:]); !ok {
			return parseShort(text)
		}
		digits = digits[:cut]
	}
	if negative { // a part below 0 borrows from the next
		for i := range parts {
			parts[i] = -parts[i]
		}
		for i := range parts[:3] {
			if parts[i] < 0 {
				parts[i] += partLimit
				parts[i+1]--
			}
		}
	}
	return tally{Counts{Positive: int(parts[0]), Neutral: int(parts[1]), Negative: int(parts[2])}, parts[3]}, nil
}

// natural parses a string of decimal digits. It returns 0 for the empty string. ok is false if the
// string contains other characters or is too long for an int64.
func natural(digits string) (n int64, ok bool) {
	const most = 18 // digits that fit in an int64
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, len(digits) <= most
}

// parseShort parses a number that an engine returned in exponent notation.
func parseShort(text string) (tally, error) {
	n, ok := new(big.Rat).SetString(text)
	if !ok || !n.IsInt() || n.Num().String() == text {
		return tally{}, errTally
	}
	return parseTally(n.Num().String())
}

// slots contains the tallies of a counter row: one for each minute or hour, and the day's total at
// daySlot.
type slots [daySlot + 1]tally

const daySlot = 60

// parseSlots parses the slots of a counter row. It ignores other attributes.
func parseSlots(row map[string]types.AttributeValue) (*slots, error) {
	var found slots
	for name, value := range row {
		n, ok := value.(*types.AttributeValueMemberN)
		slot := daySlot
		if len(name) == 3 {
			at, digits := natural(name[1:])
			if ok = ok && digits && at < daySlot; ok {
				slot = int(at)
			}
		} else {
			ok = ok && name == dayTotal
		}
		if !ok {
			continue
		}
		var err error
		if found[slot], err = parseTally(n.Value); err != nil {
			return nil, fmt.Errorf("%w: %s is %s", err, name, n.Value)
		}
	}
	return &found, nil
}
