/* test_brute_force.c - every policy against a form that recomputes all from the history.
 *
 * The brute-force forms know only the list of pulls and rewards of the run; they share no code
 * with the policies but the random samplers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#define TASKS_EACH 200 /* random tasks a policy */

typedef struct history {
    size_t length;     /* of the whole run */
    size_t task_start; /* where the current task begins */
    size_t arm[4000];
    double reward[4000];
    size_t model_index[4000]; /* the model of the task of each pull */
} history;

typedef struct brute {
    const segue_models *models;
    size_t n_arms;
    double n;     /* steps a task */
    double tasks; /* of a run */
    size_t model_index;
    segue_rng rng;
    const history *past;
    double asked[64]; /* how often each arm was chosen in this task, rewards in or not */
    double step;      /* their sum */
    size_t held;      /* look-ahead: an arm that is held */
    double hold;      /* for so many pulls */
} brute;

/* Pulls and sum of an arm from `start` on. */
static double pulls(const brute *b, size_t start, size_t arm)
{
    double count = 0;
    for (size_t t = start; t < b->past->length; t++)
        count += b->past->arm[t] == arm;
    return count;
}

static double sum(const brute *b, size_t start, size_t arm)
{
    double total = 0;
    for (size_t t = start; t < b->past->length; t++)
        if (b->past->arm[t] == arm)
            total += b->past->reward[t];
    return total;
}

/* The first largest of an index. */
static size_t first_largest(const double *x, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

/* The index of an arm without a reward: first of all, unless an ask of it is outstanding. */
static double unseen(const brute *b, size_t arm)
{
    return b->asked[arm] > pulls(b, b->past->task_start, arm) ? -INFINITY : INFINITY;
}

/* The first largest; while every arm waits for its first reward, the one asked for least. */
static size_t pick(const brute *b, const double *index, const bool *allowed)
{
    const size_t best = first_largest(index, b->n_arms);
    if (index[best] > -INFINITY)
        return best;
    double reluctance[64];
    for (size_t i = 0; i < b->n_arms; i++)
        reluctance[i] = !allowed || allowed[i] ? -b->asked[i] : -INFINITY;
    return first_largest(reluctance, b->n_arms);
}

static double m_of(const brute *b)
{
    return (double)b->models->n_models;
}

static size_t ucb_with(const brute *b, double log_term)
{
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = pulls(b, b->past->task_start, i);
        index[i] =
            T == 0 ? unseen(b, i) : sum(b, b->past->task_start, i) / T + sqrt(log_term / (2.0 * T));
    }
    return pick(b, index, NULL);
}

static double paper_log(const brute *b)
{
    return log(m_of(b) * b->n * b->n * b->n); /* delta = 1/n */
}

static size_t bf_ucb(brute *b)
{
    return ucb_with(b, paper_log(b));
}

static size_t best_of(const brute *b, size_t k)
{
    return first_largest(segue_models_row(b->models, k), b->n_arms);
}

static size_t bf_ucb_plus(brute *b)
{
    double index[64] = {0};
    bool candidate[64] = {false};
    for (size_t i = 0; i < b->n_arms; i++) {
        index[i] = -INFINITY;
        for (size_t k = 0; k < b->models->n_models; k++)
            if (best_of(b, k) == i) {
                candidate[i] = true;
                const double T = pulls(b, b->past->task_start, i);
                index[i] =
                    T == 0 ? unseen(b, i)
                           : sum(b, b->past->task_start, i) / T + sqrt(paper_log(b) / (2.0 * T));
            }
    }
    return pick(b, index, candidate);
}

static int compatible(const brute *b, size_t k, double log_term, double eps)
{
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = pulls(b, b->past->task_start, i);
        if (T > 0 && fabs(segue_models_row(b->models, k)[i] - sum(b, b->past->task_start, i) / T) >
                         sqrt(log_term / (2.0 * T)) + eps)
            return 0;
    }
    return 1;
}

static size_t bf_mucb(brute *b)
{
    double value[64];
    int any = 0;
    for (size_t k = 0; k < b->models->n_models; k++) {
        const int in = compatible(b, k, paper_log(b), 0.0);
        value[k] = in ? segue_models_row(b->models, k)[best_of(b, k)] : -INFINITY;
        any |= in;
    }
    return any ? best_of(b, first_largest(value, b->models->n_models)) : bf_ucb(b);
}

static size_t umucb_with(const brute *b, double eps)
{
    const double log_term = log(2.0 * m_of(b) * (double)b->n_arms * b->n * b->n * b->n);
    double reluctance[64];
    for (size_t i = 0; i < b->n_arms; i++)
        reluctance[i] = -b->asked[i];
    const size_t least = first_largest(reluctance, b->n_arms);
    if (b->asked[least] < 3)
        return least;
    double hope[64], bound[64];
    size_t arm[64];
    int any = 0, rewarded = 0;
    for (size_t i = 0; i < b->n_arms; i++)
        rewarded += pulls(b, b->past->task_start, i) > 0;
    if (!rewarded) /* every arm was asked for three times by now, and nothing came back */
        return least;
    for (size_t k = 0; k < b->models->n_models; k++) {
        const int in = compatible(b, k, log_term, eps);
        for (size_t i = 0; i < b->n_arms; i++) {
            const double T = pulls(b, b->past->task_start, i);
            bound[i] = -INFINITY;
            if (T > 0)
                bound[i] = fmin(segue_models_row(b->models, k)[i] + eps,
                                sum(b, b->past->task_start, i) / T + sqrt(log_term / (2.0 * T)));
        }
        arm[k] = first_largest(bound, b->n_arms);
        hope[k] = in ? bound[arm[k]] : -INFINITY;
        any |= in;
    }
    return any ? arm[first_largest(hope, b->models->n_models)] : ucb_with(b, log_term);
}

static size_t bf_umucb(brute *b)
{
    return umucb_with(b, 0.0);
}

static size_t bf_umucb_eps(brute *b)
{
    return umucb_with(b, 0.13);
}

static size_t bf_umucb_large(brute *b)
{
    return umucb_with(b, 2.0);
}

/* The posterior from the counts of the whole history. */
static size_t bf_mts(brute *b)
{
    double log_post[64], most = -INFINITY, total = 0;
    for (size_t k = 0; k < b->models->n_models; k++) {
        log_post[k] = log(b->models->weight[k]);
        for (size_t i = 0; i < b->n_arms; i++) {
            const double S = sum(b, b->past->task_start, i);
            const double F = pulls(b, b->past->task_start, i) - S;
            const double mu = segue_models_row(b->models, k)[i];
            log_post[k] += (S > 0 ? S * log(mu) : 0) + (F > 0 ? F * log(1 - mu) : 0);
        }
        most = fmax(most, log_post[k]);
    }
    assert_true(most > -INFINITY); /* rewards come from one of the models */
    for (size_t k = 0; k < b->models->n_models; k++)
        total += exp(log_post[k] - most);
    const double u = segue_rng_uniform(&b->rng) * total;
    double cumulated = 0;
    size_t last = 0;
    for (size_t k = 0; k < b->models->n_models; k++) {
        if (exp(log_post[k] - most) == 0)
            continue;
        last = k;
        cumulated += exp(log_post[k] - most);
        if (u < cumulated)
            break;
    }
    return best_of(b, last);
}

/* Go through the task from its start: did some arm ever have enough pulls? */
static size_t bf_ucb_test(brute *b)
{
    double gap = INFINITY;
    for (size_t i = 0; i < b->n_arms; i++)
        for (size_t k = 0; k < b->models->n_models; k++)
            for (size_t l = 0; l < k; l++)
                gap = fmin(gap, fabs(segue_models_row(b->models, k)[i] -
                                     segue_models_row(b->models, l)[i]));
    const double threshold = 2.0 * log(2.0 * b->n) / (gap * gap);
    double T[64] = {0}, S[64] = {0};
    for (size_t t = b->past->task_start; t < b->past->length; t++) {
        const size_t i = b->past->arm[t];
        T[i]++;
        S[i] += b->past->reward[t];
        if (T[i] > threshold) {
            double closeness[64];
            for (size_t k = 0; k < b->models->n_models; k++)
                closeness[k] = -fabs(segue_models_row(b->models, k)[i] - S[i] / T[i]);
            return best_of(b, first_largest(closeness, b->models->n_models));
        }
    }
    return bf_ucb(b);
}

static size_t sw_ucb_with(const brute *b, double window, double xi)
{
    const size_t length = b->past->length;
    const size_t start = (double)length > window ? length - (size_t)window : 0;
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double N = pulls(b, start, i);
        index[i] = N == 0 ? unseen(b, i)
                          : sum(b, start, i) / N + sqrt(xi * log(fmin((double)length, window)) / N);
    }
    return pick(b, index, NULL);
}

static size_t bf_sw_ucb(brute *b)
{
    return sw_ucb_with(b, ceil(2.0 * sqrt(b->n * log(b->n * b->tasks))), 0.6);
}

static size_t bf_sw_ucb_short(brute *b)
{
    return sw_ucb_with(b, 20, 0.3);
}

static size_t bf_d_ucb(brute *b)
{
    const double discount = 1.0 - 1.0 / (4.0 * sqrt(b->n));
    double N[64] = {0}, S[64] = {0}, all = 0, index[64] = {0};
    for (size_t t = 0; t < b->past->length; t++) {
        const double weight = pow(discount, (double)(b->past->length - 1 - t));
        N[b->past->arm[t]] += weight;
        S[b->past->arm[t]] += weight * b->past->reward[t];
        all += weight;
    }
    for (size_t i = 0; i < b->n_arms; i++)
        index[i] = N[i] == 0 ? unseen(b, i) : S[i] / N[i] + 2.0 * sqrt(0.6 * log(all) / N[i]);
    return pick(b, index, NULL);
}

static size_t bf_carried_ucb(brute *b)
{
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = pulls(b, 0, i);
        index[i] = T == 0 ? unseen(b, i) : sum(b, 0, i) / T + sqrt(paper_log(b) / (2.0 * T));
    }
    return pick(b, index, NULL);
}

static size_t bf_told_ucb(brute *b)
{
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        double T = 0, S = 0;
        for (size_t t = 0; t < b->past->length; t++)
            if (b->past->arm[t] == i && b->past->model_index[t] == b->model_index) {
                T++;
                S += b->past->reward[t];
            }
        index[i] = T == 0 ? unseen(b, i) : S / T + sqrt(paper_log(b) / (2.0 * T));
    }
    return pick(b, index, NULL);
}

static size_t bf_ucb1(brute *b)
{
    const double t = b->step;
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = pulls(b, b->past->task_start, i);
        index[i] =
            T == 0 ? unseen(b, i) : sum(b, b->past->task_start, i) / T + sqrt(2.0 * log(t) / T);
    }
    return pick(b, index, NULL);
}

/* What the index lacks to 1, by bisection, to the last bit; the least lack is pulled. */
static double lack_of(double p, double budget)
{
    double low = 0.0, high = 1.0 - p;
    for (;;) {
        const double c = 0.5 * (low + high);
        if (c <= low || c >= high)
            return low;
        double kl = (1 - p) * (log(1 - p) - log(c));
        if (p > 0)
            kl += p * (log(p) - log1p(-c));
        *(kl <= budget ? &high : &low) = c;
    }
}

static size_t bf_kl_ucb(brute *b)
{
    const double t = b->step;
    double index[64] = {0};
    for (size_t i = 0; i < b->n_arms; i++) {
        const double T = pulls(b, b->past->task_start, i);
        index[i] = T == 0 ? unseen(b, i) : -lack_of(sum(b, b->past->task_start, i) / T, log(t) / T);
    }
    return pick(b, index, NULL);
}

static size_t bf_ts(brute *b)
{
    double x[64];
    for (size_t i = 0; i < b->n_arms; i++) {
        const double S = sum(b, b->past->task_start, i);
        x[i] = segue_rng_beta(&b->rng, 1 + S, 1 + pulls(b, b->past->task_start, i) - S);
    }
    return first_largest(x, b->n_arms);
}

/* A belief of la or mla: one Beta an arm, or the models as points. */
typedef struct mixture {
    size_t n_arms, count;
    int points;
    double weight[64], mean[64][64]; /* of each component; of each and of each arm */
    double strength[64];             /* a + b of each arm */
} mixture;

static mixture flat_belief(const brute *b)
{
    mixture p = {.n_arms = b->n_arms, .count = 1, .weight = {1}};
    for (size_t i = 0; i < b->n_arms; i++) {
        p.strength[i] = 2 + pulls(b, b->past->task_start, i);
        p.mean[0][i] = (1 + sum(b, b->past->task_start, i)) / p.strength[i];
    }
    return p;
}

static mixture model_belief(const brute *b)
{
    mixture p = {.n_arms = b->n_arms, .count = b->models->n_models, .points = 1};
    double total = 0;
    for (size_t k = 0; k < p.count; k++) {
        p.weight[k] = b->models->weight[k];
        for (size_t i = 0; i < b->n_arms; i++) {
            const double S = sum(b, b->past->task_start, i);
            const double F = pulls(b, b->past->task_start, i) - S;
            const double mu = p.mean[k][i] = segue_models_row(b->models, k)[i];
            p.weight[k] *= pow(mu, S) * (F > 0 ? pow(1 - mu, F) : 1);
        }
        total += p.weight[k];
    }
    assert_true(total > 0);
    for (size_t k = 0; k < p.count; k++)
        p.weight[k] = p.weight[k] / total < 1e-7 ? 0 : p.weight[k] / total;
    return p;
}

/* The mean of an arm after s successes in t pulls of it. */
static double mean_after(const mixture *p, size_t k, size_t arm, double t, double s)
{
    if (p->points)
        return p->mean[k][arm];
    return (p->mean[k][arm] * p->strength[arm] + s) / (p->strength[arm] + t);
}

typedef double outcomes[64][64]; /* of each component, the probability of so many successes */

static void find_outcomes(const mixture *p, size_t arm, int block, outcomes chance)
{
    for (size_t k = 0; k < p->count; k++) {
        memset(chance[k], 0, sizeof chance[k]);
        chance[k][0] = 1;
        for (int t = 0; t < block; t++) /* a pull at a time */
            for (int s = t; s >= 0; s--) {
                const double mu = mean_after(p, k, arm, t, s);
                chance[k][s + 1] += chance[k][s] * mu;
                chance[k][s] *= 1 - mu;
            }
    }
}

/* What an arm pays after s successes in a block of pulls of `pulled`, times their probability. */
static double value_after(const mixture *p, size_t arm, size_t pulled, int block, int s,
                          outcomes chance)
{
    double value = 0;
    for (size_t k = 0; k < p->count; k++)
        value += p->weight[k] * chance[k][s] *
                 (arm == pulled ? mean_after(p, k, arm, block, s) : p->mean[k][arm]);
    return value;
}

static double gain_of(const mixture *p, const double *V, size_t e, size_t arm, int block,
                      double left)
{
    double expected = 0, value[64];
    outcomes chance;
    const int size = (block + 16) / 16;
    find_outcomes(p, arm, block, chance);
    for (int from = 0; from <= block; from += size) {
        for (size_t i = 0; i < p->n_arms; i++) {
            value[i] = 0;
            for (int s = from; s <= block && s < from + size; s++)
                value[i] += value_after(p, i, arm, block, s, chance);
        }
        expected += value[first_largest(value, p->n_arms)];
    }
    return left * (expected - V[e]) - block * (V[e] - V[arm]);
}

/* Arms and gains that differ by rounding alone are ties, and go to the first. */
static size_t look_ahead(brute *b, const mixture *p)
{
    double V[64] = {0}, best = 0;
    size_t e = 0, arm;
    for (size_t i = 0; i < p->n_arms; i++) {
        for (size_t k = 0; k < p->count; k++)
            V[i] += p->weight[k] * p->mean[k][i];
        if (V[i] > V[e] + 1e-12)
            e = i;
    }
    arm = e;
    for (size_t i = 0; i < p->n_arms; i++)
        for (int block = 1; block <= 32 && block < b->n - b->step; block *= 2) {
            const double gain = gain_of(p, V, e, i, block, b->n - b->step - block);
            if (gain > best + 1e-9) {
                best = gain;
                arm = i;
            }
        }
    b->held = arm;
    b->hold = arm == e ? floor(b->step / 32) : 0;
    return arm;
}

static size_t hold_or_look(brute *b, mixture (*belief)(const brute *))
{
    if (b->step == 0)
        b->hold = 0;
    if (b->hold > 0) {
        b->hold--;
        return b->held;
    }
    const mixture p = belief(b);
    return look_ahead(b, &p);
}

static size_t bf_la(brute *b)
{
    return segue_rng_uniform(&b->rng) < 1 / (b->step + 1) ? bf_ts(b) : hold_or_look(b, flat_belief);
}

static size_t bf_mla(brute *b)
{
    return hold_or_look(b, model_belief);
}

static size_t bf_round_robin(brute *b)
{
    return (size_t)b->step % b->n_arms;
}

typedef struct pair {
    const char *policy;
    size_t (*brute_force)(brute *);
    uint64_t tasks; /* of a run */
} pair;

static const pair pairs[] = {
    {"ucb", bf_ucb, 1},
    {"ucb+", bf_ucb_plus, 1},
    {"mucb", bf_mucb, 1},
    {"umucb", bf_umucb, 1},
    {"umucb:eps=0.13", bf_umucb_eps, 1},
    {"umucb:eps=2", bf_umucb_large, 1},
    {"mts", bf_mts, 1},
    {"ucb-test", bf_ucb_test, 1},
    {"sw-ucb", bf_sw_ucb, 4},
    {"sw-ucb:window=20,xi=0.3", bf_sw_ucb_short, 4},
    {"d-ucb", bf_d_ucb, 4},
    {"carried-ucb", bf_carried_ucb, 4},
    {"told-ucb", bf_told_ucb, 4},
    {"ucb1", bf_ucb1, 1},
    {"kl-ucb", bf_kl_ucb, 1},
    {"ts", bf_ts, 1},
    {"la", bf_la, 1},
    {"mla", bf_mla, 1},
    {"round-robin", bf_round_robin, 1},
};

/* Rewards that are still to be told. */
typedef struct queue {
    size_t length;
    size_t arm[64];
    double reward[64];
} queue;

/* Tell one of the rewards that wait, whichever. */
static void tell_one(segue_task *task, history *past, queue *waiting, const brute *b,
                     segue_rng *rng)
{
    const size_t i = random_between(rng, 0, waiting->length - 1);
    past->arm[past->length] = waiting->arm[i];
    past->reward[past->length] = waiting->reward[i];
    past->model_index[past->length] = b->model_index;
    tell(task, waiting->arm[i], waiting->reward[i]);
    past->length++;
    waiting->length--;
    waiting->arm[i] = waiting->arm[waiting->length];
    waiting->reward[i] = waiting->reward[waiting->length];
}

/* One task: every choice must be the brute-force form's.  With `late` up to 40 rewards are
 * outstanding, and come in any order. */
static void compare_task(const pair *p, segue_task *task, segue_simulated_task *simulated,
                         history *past, brute *b, bool late, segue_rng *rng)
{
    queue waiting = {.length = 0};
    past->task_start = past->length;
    memset(b->asked, 0, sizeof b->asked);
    b->step = 0;
    for (uint64_t t = 0; t < (uint64_t)b->n; t++) {
        const size_t expected = p->brute_force(b), arm = segue_task_ask(task);
        if (arm != expected)
            fail_msg("%s, step %d: pulled %zu, not %zu", p->policy, (int)b->step, arm, expected);
        b->asked[arm]++;
        b->step++;
        waiting.arm[waiting.length] = arm;
        waiting.reward[waiting.length++] = segue_simulated_task_reward(simulated, arm);
        while (waiting.length > 40 ||
               (waiting.length > 0 && (!late || segue_rng_uniform(rng) < 0.5)))
            tell_one(task, past, &waiting, b, rng);
    }
    while (waiting.length > 0)
        tell_one(task, past, &waiting, b, rng);
}

/* One run of a policy; returns how many tasks it had. */
static uint64_t compare_run(const pair *p, const segue_models *models, uint64_t run, uint64_t n,
                            bool late)
{
    const segue_environment env = {
        .models = models,
        /* every other run has rewards between 0 and 1 */
        .rewards = run % 2 ? (segue_rewards){.family = SEGUE_BETA, .parameter = 5.0}
                           : (segue_rewards){.family = SEGUE_BERNOULLI},
    };
    segue_simulated_task *simulated = world_of(&env, 31, run, SEGUE_ANY_MODEL);
    segue_task_config config = segue_task_defaults();
    segue_task *task = NULL;
    segue_rng rng;
    static history past;
    past.length = 0;
    config.policy = policy_of(p->policy);
    config.setting = (segue_setting){.n_arms = models->n_arms,
                                     .models = models,
                                     .n_model_indices = models->n_models,
                                     .horizon = n,
                                     .n_tasks = p->tasks};
    assert_ok(segue_task_create(&task, &config, NULL));
    brute b = {.models = models,
               .n_arms = models->n_arms,
               .n = (double)n,
               .tasks = (double)p->tasks,
               .past = &past};
    segue_rng_init(&rng, 35, run, 0, 0);
    for (uint64_t j = 0; j < p->tasks; j++) {
        segue_simulated_task_begin(simulated, 31, run, j, SEGUE_ANY_MODEL);
        b.model_index = segue_simulated_task_model(simulated);
        segue_rng_init(&b.rng, 31, run, j, SEGUE_STREAM_POLICY);
        segue_task_next(task, &b.rng, b.model_index);
        compare_task(p, task, simulated, &past, &b, late, &rng);
    }
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    return p->tasks;
}

static void compare_all(bool late)
{
    segue_rng rng;
    segue_rng_init(&rng, 32, 0, 0, 0);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        uint64_t tasks = 0;
        for (uint64_t run = 0; tasks < (uint64_t)repeats(TASKS_EACH); run++) {
            segue_models *models = random_models(&rng, 2, 10, 1, 6);
            tasks += compare_run(&pairs[i], models, run, random_between(&rng, 1, 160), late);
            segue_models_destroy(models);
        }
    }
}

static void every_policy_pulls_as_its_brute_force_form(void **state)
{
    (void)state;
    compare_all(false);
}

static void also_while_rewards_are_late_and_out_of_order(void **state)
{
    (void)state;
    compare_all(true);
}

/* ucb-test must commit somewhere, or its comparison says little: sets whose models differ on
 * every arm, long enough. */
static void ucb_test_agrees_also_where_it_commits(void **state)
{
    (void)state;
    const double mean[] = {0.05, 0.95, 0.2, 0.9, 0.1, 0.9};
    segue_models *models = models_of(3, 2, mean);
    for (uint64_t run = 0; run < 20; run++)
        (void)compare_run(&(pair){"ucb-test", bf_ucb_test, 1}, models, run, 300, false);
    segue_task *task = task_of("ucb-test", models, 300);
    const segue_environment env = {.models = models};
    segue_simulated_task *simulated = world_of(&env, 33, 0, 0);
    (void)segue_simulation_play(task, simulated, 300);
    assert_true(segue_task_info(task).pulls[1] > 200); /* committed to the best arm */
    segue_task_destroy(task);
    segue_simulated_task_destroy(simulated);
    segue_models_destroy(models);
}

/* The paper's models share the mean of arm 3, so that no test can tell them apart by Gmin. */
static void ucb_test_on_the_papers_models_is_ucb(void **state)
{
    (void)state;
    segue_models *models = paper_models();
    const segue_environment env = {.models = models};
    for (uint64_t run = 0; run < 20; run++) {
        segue_task *plain = task_of("ucb", models, 2000), *test = task_of("ucb-test", models, 2000);
        segue_simulated_task *a = world_of(&env, 34, run, run % 5),
                             *b = world_of(&env, 34, run, run % 5);
        for (int t = 0; t < 2000; t++) {
            const size_t arm = segue_task_ask(plain);
            assert_int_equal(segue_task_ask(test), arm);
            tell(plain, arm, segue_simulated_task_reward(a, arm));
            tell(test, arm, segue_simulated_task_reward(b, arm));
        }
        segue_task_destroy(plain);
        segue_task_destroy(test);
        segue_simulated_task_destroy(a);
        segue_simulated_task_destroy(b);
    }
    segue_models_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_pulls_as_its_brute_force_form),
        cmocka_unit_test(also_while_rewards_are_late_and_out_of_order),
        cmocka_unit_test(ucb_test_agrees_also_where_it_commits),
        cmocka_unit_test(ucb_test_on_the_papers_models_is_ucb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
