# tutor.awk - write logs/tutor.csv, the sample log: 400 simulated students, 30 exercises each.
#
#     awk -f logs/tutor.awk > logs/tutor.csv
#
# The students are simulated. A student is a task, a form of exercise an arm, and the reward is 1 if the
# exercise was solved. The log draws each arm with probability 1/5. A student has one of three types:
#
#     share   video   diagram   quiz   drill   text
#     0.40     0.90      0.65   0.15    0.20   0.30
#     0.35     0.20      0.25   0.85    0.60   0.20
#     0.25     0.20      0.15   0.25    0.20   0.85
#
# A student who learns from a video learns from a diagram too, so one arm tells about another: types save
# more here than a prior per arm.
#
# SPDX-License-Identifier: Apache-2.0
function uniform() { # a linear congruential generator: the same numbers on every awk
    state = (state * 16807) % 2147483647
    return state / 2147483647
}
function draw_type(  u) {
    u = uniform()
    return u < 0.4 ? 0 : u < 0.75 ? 1 : 2
}
BEGIN {
    state = 2013
    n_arms = split("video diagram quiz drill text", arms)
    split("0.90 0.65 0.15 0.20 0.30  0.20 0.25 0.85 0.60 0.20  0.20 0.15 0.25 0.20 0.85", means)
    print "task,arm,reward,time,probability"
    for (student = 1; student <= 400; student++) {
        type = draw_type()
        day = int((student - 1) / 5) # five students per day, from 1 September on
        for (exercise = 0; exercise < 30; exercise++) {
            arm = 1 + int(n_arms * uniform())
            printf "s%d,%s,%d,2025-%02d-%02dT%02d:%02d,0.2\n", student, arms[arm], \
                uniform() < means[n_arms * type + arm], 9 + int(day / 30), 1 + day % 30, \
                9 + int(exercise / 12), exercise % 12 * 5
        }
    }
}
