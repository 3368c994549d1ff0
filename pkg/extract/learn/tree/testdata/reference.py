#!/usr/bin/python3
"""Gives the figures of scikit-learn that the tests of this package compare with.

    reference.py golden     cross-validated scores on the synthetic sets, for reference_test.go
    reference.py sets DIR   exports diabetes, wine and breast_cancer with folds, and scores.json, for TestSets
    reference.py time       CPU time of the models of BenchmarkForest and BenchmarkBoosting

Debian: apt-get install python3-sklearn
"""

import json
import math
import os
import sys
import time

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import mean_squared_error, roc_auc_score

FOLDS = 5


def uniform(seed):
    """Yields numbers of Knuth's 64-bit linear congruential generator, as package learntest does."""
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (state >> 11) / 2**53


def friedman(rows, columns, seed, classes):
    """learntest.Friedman: Friedman #1 with noise of variance 1; classes: whether it is greater than 14. Row i is in fold i % FOLDS."""
    u = uniform(seed)
    x = np.empty((rows, columns))
    y = np.empty(rows)
    for i in range(rows):
        v = x[i] = [next(u) for _ in range(columns)]
        noise = sum(next(u) for _ in range(12)) - 6
        value = 10 * math.sin(math.pi * v[0] * v[1]) + 20 * (v[2] - 0.5) ** 2 + 10 * v[3] + 5 * v[4] + noise
        y[i] = math.floor(value * 1e6 + 0.5) / 1e6
        if classes:
            y[i] = value > 14
    return x, y


def models(classes, columns, trees):
    """The models by their names. The forests try the numbers of features that are the defaults of this package."""
    if classes:
        return {
            "forest": lambda: RandomForestClassifier(n_estimators=trees, max_features="sqrt", random_state=1),
            "boosting": lambda: HistGradientBoostingClassifier(early_stopping=False, random_state=1),
        }
    third = max(columns // 3, 1)
    return {
        "forest": lambda: RandomForestRegressor(n_estimators=trees, max_features=third, random_state=1),
        "boosting": lambda: HistGradientBoostingRegressor(early_stopping=False, random_state=1),
    }


def scores(x, y, folds, classes, trees):
    """RMSE, or area under the ROC curve, of the predictions for the rows of each fold by a model of the other rows."""
    result = {}
    for name, model in models(classes, x.shape[1], trees).items():
        predicted = np.empty(len(y))
        for fold in range(FOLDS):
            test = folds == fold
            fitted = model().fit(x[~test], y[~test])
            predicted[test] = fitted.predict_proba(x[test])[:, 1] if classes else fitted.predict(x[test])
        result[name] = roc_auc_score(y, predicted) if classes else math.sqrt(mean_squared_error(y, predicted))
    return result


def golden():
    print("scikit-learn", sklearn.__version__)
    for classes in (False, True):
        x, y = friedman(1000, 10, 40, classes)
        print("classes" if classes else "numbers", scores(x, y, np.arange(len(y)) % FOLDS, classes, 50))


def sets(folder):
    os.makedirs(folder, exist_ok=True)
    wine = load_wine()
    data = {
        "diabetes": (*load_diabetes(return_X_y=True), False),
        "wine": (wine.data[:, 1:], wine.data[:, 0], False),  # alcohol by the other columns
        "wine_classes": (wine.data, (wine.target == 1).astype(float), True),
        "breast_cancer": (*load_breast_cancer(return_X_y=True), True),
    }
    result = {"scikit-learn": sklearn.__version__, "sets": {}}
    for name, (x, y, classes) in data.items():
        folds = np.random.RandomState(40).permutation(len(y)) % FOLDS
        table = np.column_stack([folds, y, x])
        np.savetxt(os.path.join(folder, name + ".csv"), table, delimiter=",", fmt="%.17g")
        result["sets"][name] = {"classes": classes, "scores": scores(x, y, folds, classes, 200)}
    with open(os.path.join(folder, "scores.json"), "w") as file:
        json.dump(result, file, indent=1)


def cpu():
    x, y = friedman(20000, 200, 7, False)
    for features in (66, 200):
        model = RandomForestRegressor(n_estimators=10, max_features=features, random_state=1, n_jobs=1)
        start = time.process_time()
        model.fit(x, y)
        print(f"forest, 10 trees, {features} features a node: {time.process_time() - start:.2f} s")
    y = (y > 14).astype(float)
    model = RandomForestClassifier(n_estimators=10, max_features="sqrt", random_state=1, n_jobs=1)
    start = time.process_time()
    model.fit(x, y)
    print(f"forest of classes, 10 trees, 14 features a node: {time.process_time() - start:.2f} s")
    for make in (HistGradientBoostingClassifier, HistGradientBoostingRegressor):
        model = make(early_stopping=False, random_state=1)
        start = time.process_time()
        model.fit(x, y)
        print(f"{make.__name__}, 100 trees: {time.process_time() - start:.2f} s")


if sys.argv[1:] == ["golden"]:
    golden()
elif len(sys.argv) == 3 and sys.argv[1] == "sets":
    sets(sys.argv[2])
elif sys.argv[1:] == ["time"]:
    cpu()
else:
    sys.exit(__doc__)
