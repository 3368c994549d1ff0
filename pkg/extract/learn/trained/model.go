// Package trained contains trained models as they are stored: with everything that their predictions need.
package trained

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/assay-project/assay/pkg/extract/learn"
	"github.com/assay-project/assay/pkg/extract/learn/dataset"
	"github.com/assay-project/assay/pkg/extract/learn/domain"
	"github.com/assay-project/assay/pkg/extract/learn/fingerprint"
	"github.com/assay-project/assay/pkg/extract/learn/linear"
	"github.com/assay-project/assay/pkg/extract/learn/tree"
	"github.com/assay-project/assay/pkg/extract/records"
)

// ErrDamaged means that bytes are not those that Encode has returned.
var ErrDamaged = errors.New("the model is damaged")

// Coverage is the share of values that the interval around a prediction contains.
const Coverage = 0.9

// Model is a trained model. It is safe for concurrent use.
type Model struct {
	Target   dataset.Target
	Features dataset.Features
	// HalfWidth is half the width of the interval around a prediction, in the unit of the target; 0 for Classification.
	HalfWidth float64
	Domain    *domain.Domain

	// One of these is set.
	Linear   *linear.Model
	Forest   *tree.Forest
	Boosting *tree.Boosting
}

// New returns a model that predicts by p, which a learner of Candidates has fitted.
func New(set *dataset.Set, p learn.Predictor, halfWidth float64, d *domain.Domain) (*Model, error) {
	m := &Model{Target: set.Target, Features: set.Features, HalfWidth: halfWidth, Domain: d}
	switch p := p.(type) {
	case *linear.Model:
		m.Linear = p
	case *tree.Forest:
		m.Forest = p
	case *tree.Boosting:
		m.Boosting = p
	default:
		return nil, fmt.Errorf("models of type %T cannot be stored", p)
	}
	return m, nil
}

// Predictor returns the fitted predictor.
func (m *Model) Predictor() learn.Predictor {
	switch {
	case m.Linear != nil:
		return m.Linear
	case m.Forest != nil:
		return m.Forest
	}
	return m.Boosting
}

// Encode encodes the model.
func (m *Model) Encode() ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(m)
	return b.Bytes(), err
}

// Decode decodes a model. Its errors wrap ErrDamaged.
func Decode(data []byte) (*Model, error) {
	m := &Model{}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if m.Domain == nil || m.Linear == nil && m.Forest == nil && m.Boosting == nil {
		return nil, ErrDamaged
	}
	return m, nil
}

// The properties that Predict sets.
const (
	Prediction  = "prediction"     // the predicted number, or the more probable of two values
	Low         = "predictionLow"  // lower bound of the interval, of a Regression
	High        = "predictionHigh" // upper bound
	Probability = "probability"    // of the second value, of a Classification
	Similarity  = "similarity"     // to the nearest training row, from 0 to 1
	Inside      = "insideDomain"   // whether the record is as similar to the training rows as most of them are to each other
	Missing     = "missingColumns" // number of columns of the model without a value; the median of the training rows replaces it
)

// Predict sets the properties of a record that has not failed. The features are those for the record's file, as
// dataset.Features.For returns them; f is the fingerprint of the record, or nil. Without a fingerprint, models of molecules
// predict nothing, and NotDetermined contains the properties. Numbers have 6 significant digits.
func (m *Model) Predict(features dataset.Features, r *records.Record, f *fingerprint.Fingerprint) {
	names := m.properties()
	r.Properties = slices.DeleteFunc(r.Properties, func(p records.Property) bool { return slices.Contains(names, p.Name) }) // of an earlier prediction
	if len(m.Features.Bits) > 0 && f == nil {
		r.NotDetermined = append(r.NotDetermined, names...)
		return
	}
	row, missing := features.Row(make([]float64, 0, features.Len()), r, f)
	y := m.Predictor().Predict(row)
	nearest := m.Domain.Nearest(row, f)
	if m.Target.Task == learn.Classification {
		class := m.Target.Classes[0]
		if y >= 0.5 {
			class = m.Target.Classes[1]
		}
		r.Properties = append(r.Properties, records.Property{Name: Prediction, Value: class}, records.Property{Name: Probability, Value: rounded(y)})
	} else {
		r.Properties = append(r.Properties, records.Property{Name: Prediction, Value: rounded(y)},
			records.Property{Name: Low, Value: rounded(y - m.HalfWidth)}, records.Property{Name: High, Value: rounded(y + m.HalfWidth)})
	}
	r.Properties = append(r.Properties, records.Property{Name: Similarity, Value: rounded(nearest)},
		records.Property{Name: Inside, Value: m.Domain.Inside(nearest)}, records.Property{Name: Missing, Value: int64(missing)})
}

func (m *Model) properties() []string {
	if m.Target.Task == learn.Classification {
		return []string{Prediction, Probability, Similarity, Inside, Missing}
	}
	return []string{Prediction, Low, High, Similarity, Inside, Missing}
}

// rounded returns a number with 6 significant digits.
func rounded(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		return v
	}
	return short
}
