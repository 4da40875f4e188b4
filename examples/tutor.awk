# tutor.awk - write examples/tutor.csv: 80 simulated students of three types, 128 exercises each.
#
#     awk -f examples/tutor.awk > examples/tutor.csv
#
# A student is a task, a kind of exercise an arm, and the reward is 1 if the exercise was solved.
# SPDX-License-Identifier: Apache-2.0
function uniform() { # a linear congruential generator: the same numbers on every awk
    state = (state * 16807) % 2147483647
    return state / 2147483647
}
BEGIN {
    state = 2013
    n_arms = split("video quiz game text", arms)
    split("0.85 0.30 0.40 0.35  0.25 0.80 0.35 0.45  0.40 0.35 0.30 0.90", means)
    print "task,arm,reward"
    for (student = 1; student <= 80; student++) {
        type = int(3 * uniform())
        for (exercise = 1; exercise <= 128; exercise++) {
            arm = 1 + int(n_arms * uniform())
            printf "s%d,%s,%d\n", student, arms[arm], uniform() < means[n_arms * type + arm]
        }
    }
}
