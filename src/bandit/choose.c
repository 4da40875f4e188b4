/* choose.c - choices that several policies share; ties go to the lowest index.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bandit/choose.h"

double segue_choose_switch_price(const segue_task_view *view)
{
    const double left = view->horizon > view->step ? (double)(view->horizon - view->step) : 1.0;
    if (view->last_arm >= view->n_arms) /* the first decision switches nothing */
        return 0.0;
    return view->switch_cost / fmin(left, sqrt((double)view->step + 1.0));
}

size_t segue_choose_fewest_asks(const segue_task_view *view)
{
    size_t best = view->n_arms;
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm) && (best == view->n_arms || view->asked[arm] < view->asked[best]))
            best = arm;
    return best;
}

/* Compiled twice: without costs nothing is subtracted. */
static inline size_t find_largest(const segue_task_view *view, index_function index, double context,
                                  bool costly)
{
    size_t best = view->n_arms;
    double value = -INFINITY;
    for (size_t arm = 0; arm < view->n_arms; arm++) {
        if (!is_allowed(view, arm))
            continue;
        if (view->pulls[arm] == 0) {
            if (!is_outstanding(view, arm))
                return arm;
            continue;
        }
        double own = index(view, arm, context);
        if (costly)
            own -= cost_of(view, arm);
        if (own > value) {
            value = own;
            best = arm;
        }
    }
    return best < view->n_arms ? best : segue_choose_fewest_asks(view);
}

size_t segue_choose_largest(const segue_task_view *view, index_function index, double context)
{
    return view->cost ? find_largest(view, index, context, true)
                      : find_largest(view, index, context, false);
}

size_t segue_choose_best_arm(const segue_task_view *view, size_t model)
{
    const double *mean = segue_models_row(view->models, model);
    size_t best = view->n_arms;
    if (is_allowed(view, view->models->best_arm[model]))
        return view->models->best_arm[model];
    for (size_t arm = 0; arm < view->n_arms; arm++)
        if (is_allowed(view, arm) && (best == view->n_arms || mean[arm] > mean[best]))
            best = arm;
    return best;
}
